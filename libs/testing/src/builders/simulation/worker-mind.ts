import type { RunFactOf, TaskKey } from '@millrace/contracts';
import { openInputs, openTasks, taskOf, type Run, type RunCommand, type SpokenFact } from '@millrace/run-domain';
import {
  finishNode,
  finishTool,
  progressTool,
  requestInput,
  requestTool,
  say,
  scheduleRetry,
  startNode,
  suspendNode,
} from '../commands.js';
import type { Dice } from './dice.js';
import { effectRecorded, messageAdded, modelResponded, policySwitched, tokenDelta } from '../facts.js';
import { PLAYED_TASKS, type Mind } from './mind.js';
import { aTask, requestIdOf, speakerOf } from '../tasks.js';

type Speaker = ReturnType<typeof speakerOf>;

/** Takes a task, speaks for it, ends it; and sometimes speaks for an attempt that another one has superseded. */
export const nodeWorker: Mind = (run, dice) => {
  const { key, attempt, isStarted, openTools, asked } = pickTask(run, dice);
  const me = speakerOf(key, attemptOf(attempt, dice));
  const tool = toolCall(me, dice);
  return dice.weigh<() => RunCommand>([
    [isStarted ? 3 : 60, () => startNode(speakerOf(key, attempt + 1))],
    [8, () => say(speech(me, dice))],
    [8, () => requestTool(tool)],
    [2, () => progressTool(tool)],
    [openTools > 0 ? 8 : 2, () => finishTool({ ...tool, ok: !dice.oneIn(3) })],
    [4, () => requestInput({ ...me, requestId: requestOf(key, dice) })],
    [asked.length > 0 ? 20 : 1, () => suspendNode({ ...me, requestIds: asked.length > 0 ? asked : [requestIdOf(9)] })],
    [2, () => scheduleRetry(me)],
    [5, () => finishNode({ ...me, result: dice.pick(['SUCCESS', 'FAILURE', 'SKIPPED']) })],
  ])();
};

const pickTask = (run: Run, dice: Dice) => {
  const [first, ...others] = openTasks(run);
  const key = first && !dice.oneIn(10) ? dice.pick([first, ...others]).key : aTask(dice.pick(PLAYED_TASKS)).key;
  const task = taskOf(run, key);
  return {
    key,
    attempt: task?.attempt ?? 0,
    isStarted: task?.state.name === 'STARTED',
    openTools: task && 'openTools' in task ? task.openTools.length : 0,
    asked: openInputs(run)
      .filter(({ taskKey }) => taskKey === key)
      .map(({ requestId }) => requestId),
  };
};

/** The one that holds the task; or the first, asleep since; or one that has not begun. */
const attemptOf = (current: number, dice: Dice): number =>
  dice.weigh([
    [20, Math.max(1, current)],
    [2, 1],
    [1, current + 1],
  ]);

/** One call the clients see and one they do not, in each task. */
const toolCall = (me: Speaker, dice: Dice): Speaker & Pick<RunFactOf<'ToolRequested'>, 'toolUseId' | 'tool'> => {
  const tool = dice.pick(['search', 'transfer_to_critic']);
  return { ...me, tool, toolUseId: `${me.taskKey}#${tool}` };
};

const requestOf = (key: TaskKey, dice: Dice) =>
  requestIdOf(PLAYED_TASKS.findIndex((played) => played === key) * 2 + dice.below(2));

const speech = (me: Speaker, dice: Dice): SpokenFact =>
  dice.pick<SpokenFact>([
    tokenDelta(me),
    messageAdded(me),
    modelResponded({ ...me, callId: `c${dice.below(2)}` }),
    effectRecorded({ ...me, key: `e${dice.below(2)}` }),
    policySwitched(me),
    policySwitched({ ...me, fromPolicy: 'careful', toPolicy: 'default' }),
  ]);
