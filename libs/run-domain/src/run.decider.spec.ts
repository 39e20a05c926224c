import { describe, expect, it } from '@jest/globals';
import { RunStatus, type RefusalCode, type RunEventKind, type RunFact } from '@millrace/contracts';
import * as kit from '@millrace/testing';
import { fold, type RunCommand } from './index.js';

type State = RunStatus | 'ABSENT';
/** What comes of the command: the kinds of its facts, nothing, or why it is refused. */
type Answer = RunEventKind | 'nothing' | RefusalCode;
/** The states in which a command is answered so; together they are all of them, each once. */
type Row = { readonly [A in Answer]?: string };

const STATES: readonly State[] = ['ABSENT', ...RunStatus.options];

const COMMANDS: { readonly [K in RunCommand['kind']]: RunCommand } = {
  RequestRun: kit.requestRun(),
  QueueRun: kit.queueRun(),
  StartRun: kit.startRun(),
  PauseRun: kit.pauseRun(),
  ResumeRun: kit.resumeRun(),
  CancelRun: kit.cancelRun(),
  ConfirmCancel: kit.confirmCancel(),
  EndGraph: kit.endGraph(),
  FinishRun: kit.finishRun(),
  FailRun: kit.failRun(),
  AchieveGoal: kit.achieveGoal(),
  RequestRetry: kit.requestRetry(),
  RetryAfterFailure: kit.retryAfterFailure(),
  ProvideImprovement: kit.provideImprovement(),
  SaveCheckpoint: kit.saveCheckpoint(),
  ScheduleNodes: kit.scheduleNodes({ tasks: [kit.aTask('2/write')] }),
  StartNode: kit.startNode(),
  FinishNode: kit.finishNode(),
  ScheduleRetry: kit.scheduleRetry(),
  SuspendNode: kit.suspendNode(),
  Say: kit.say(),
  RequestTool: kit.requestTool(),
  ProgressTool: kit.progressTool(),
  FinishTool: kit.finishTool(),
  RequestInput: kit.requestInput(),
  ProvideInput: kit.provideInput(),
  ExpireInput: kit.expireInput(),
};

const UNDISPATCHED = 'PENDING QUEUED';
const ENDED = 'SUCCEEDED FAILED CANCELED';

/** Each command against a believable run in each state (see aRunIn): one task, scheduled once dispatched. */
const TABLE: { readonly [K in RunCommand['kind']]: Row } = {
  RequestRun: {
    RunRequested: 'ABSENT',
    nothing: `${UNDISPATCHED} DISPATCHED RUNNING PAUSED CANCELED_REQUESTED ${ENDED}`,
  },
  QueueRun: {
    RunQueued: 'PENDING',
    nothing: 'QUEUED',
    RUN_STARTED: 'DISPATCHED RUNNING PAUSED',
    RUN_CANCEL_REQUESTED: 'CANCELED_REQUESTED',
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  StartRun: {
    RunStarted: UNDISPATCHED,
    nothing: `DISPATCHED RUNNING PAUSED CANCELED_REQUESTED ${ENDED}`,
    RUN_NOT_FOUND: 'ABSENT',
  },
  PauseRun: {
    RunPaused: 'RUNNING',
    nothing: 'PAUSED',
    RUN_NOT_RUNNING: `${UNDISPATCHED} DISPATCHED`,
    RUN_CANCEL_REQUESTED: 'CANCELED_REQUESTED',
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  ResumeRun: {
    RunResumed: 'PAUSED',
    nothing: 'RUNNING',
    RUN_NOT_PAUSED: `${UNDISPATCHED} DISPATCHED`,
    RUN_CANCEL_REQUESTED: 'CANCELED_REQUESTED',
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  CancelRun: {
    RunCancelRequested: `${UNDISPATCHED} DISPATCHED RUNNING PAUSED`,
    nothing: `CANCELED_REQUESTED ${ENDED}`,
    RUN_NOT_FOUND: 'ABSENT',
  },
  ConfirmCancel: {
    RunCanceled: 'CANCELED_REQUESTED',
    nothing: 'CANCELED',
    CANCEL_NOT_REQUESTED: `${UNDISPATCHED} DISPATCHED RUNNING PAUSED`,
    RUN_ENDED: 'SUCCEEDED FAILED',
    RUN_NOT_FOUND: 'ABSENT',
  },
  EndGraph: {
    GraphEnded: 'DISPATCHED',
    TASKS_OPEN: 'RUNNING',
    RUN_PAUSED: 'PAUSED',
    RUN_NOT_STARTED: UNDISPATCHED,
    RUN_CANCEL_REQUESTED: 'CANCELED_REQUESTED',
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  FinishRun: {
    nothing: 'SUCCEEDED',
    RUN_NOT_STARTED: UNDISPATCHED,
    TASKS_OPEN: 'DISPATCHED RUNNING',
    RUN_PAUSED: 'PAUSED',
    RUN_CANCEL_REQUESTED: 'CANCELED_REQUESTED',
    RUN_ENDED: 'FAILED CANCELED',
    RUN_NOT_FOUND: 'ABSENT',
  },
  FailRun: {
    RunFailed: `${UNDISPATCHED} DISPATCHED RUNNING PAUSED`,
    nothing: 'FAILED',
    RUN_CANCEL_REQUESTED: 'CANCELED_REQUESTED',
    RUN_ENDED: 'SUCCEEDED CANCELED',
    RUN_NOT_FOUND: 'ABSENT',
  },
  AchieveGoal: {
    GoalAchieved: `${UNDISPATCHED} DISPATCHED RUNNING PAUSED CANCELED_REQUESTED ${ENDED}`,
    RUN_NOT_FOUND: 'ABSENT',
  },
  RequestRetry: {
    RetryRequested: ENDED,
    RUN_NOT_ENDED: `${UNDISPATCHED} DISPATCHED RUNNING PAUSED CANCELED_REQUESTED`,
    RUN_NOT_FOUND: 'ABSENT',
  },
  RetryAfterFailure: {
    nothing: `${UNDISPATCHED} DISPATCHED RUNNING PAUSED CANCELED_REQUESTED ${ENDED}`,
    RUN_NOT_FOUND: 'ABSENT',
  },
  ProvideImprovement: {
    nothing: `${UNDISPATCHED} DISPATCHED RUNNING PAUSED CANCELED_REQUESTED ${ENDED}`,
    RUN_NOT_FOUND: 'ABSENT',
  },
  SaveCheckpoint: {
    CheckpointSaved: 'DISPATCHED RUNNING PAUSED CANCELED_REQUESTED',
    RUN_NOT_STARTED: UNDISPATCHED,
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  ScheduleNodes: {
    NodeScheduled: 'DISPATCHED RUNNING',
    RUN_NOT_STARTED: UNDISPATCHED,
    RUN_PAUSED: 'PAUSED',
    RUN_CANCEL_REQUESTED: 'CANCELED_REQUESTED',
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  StartNode: {
    NodeStarted: 'DISPATCHED',
    ATTEMPT_SUPERSEDED: 'RUNNING',
    RUN_NOT_STARTED: UNDISPATCHED,
    RUN_PAUSED: 'PAUSED',
    RUN_CANCEL_REQUESTED: 'CANCELED_REQUESTED',
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  FinishNode: {
    NodeFinished: 'RUNNING PAUSED CANCELED_REQUESTED',
    nothing: 'SUCCEEDED FAILED',
    TASK_NOT_STARTED: 'DISPATCHED',
    RUN_NOT_STARTED: UNDISPATCHED,
    RUN_ENDED: 'CANCELED',
    RUN_NOT_FOUND: 'ABSENT',
  },
  ScheduleRetry: {
    NodeRetryScheduled: 'RUNNING PAUSED',
    TASK_NOT_STARTED: 'DISPATCHED',
    RUN_NOT_STARTED: UNDISPATCHED,
    RUN_CANCEL_REQUESTED: 'CANCELED_REQUESTED',
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  SuspendNode: {
    INPUT_NOT_FOUND: 'RUNNING PAUSED CANCELED_REQUESTED',
    TASK_NOT_STARTED: 'DISPATCHED',
    RUN_NOT_STARTED: UNDISPATCHED,
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  Say: {
    TokenDelta: 'RUNNING PAUSED CANCELED_REQUESTED',
    TASK_NOT_STARTED: 'DISPATCHED',
    RUN_NOT_STARTED: UNDISPATCHED,
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  RequestTool: {
    ToolRequested: 'RUNNING PAUSED',
    TASK_NOT_STARTED: 'DISPATCHED',
    RUN_NOT_STARTED: UNDISPATCHED,
    RUN_CANCEL_REQUESTED: 'CANCELED_REQUESTED',
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  ProgressTool: {
    TOOL_NOT_REQUESTED: 'RUNNING PAUSED CANCELED_REQUESTED',
    TASK_NOT_STARTED: 'DISPATCHED',
    RUN_NOT_STARTED: UNDISPATCHED,
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  FinishTool: {
    TOOL_NOT_REQUESTED: 'RUNNING PAUSED CANCELED_REQUESTED',
    TASK_NOT_STARTED: 'DISPATCHED',
    RUN_NOT_STARTED: UNDISPATCHED,
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  RequestInput: {
    InputRequested: 'RUNNING PAUSED',
    TASK_NOT_STARTED: 'DISPATCHED',
    RUN_NOT_STARTED: UNDISPATCHED,
    RUN_CANCEL_REQUESTED: 'CANCELED_REQUESTED',
    RUN_ENDED: ENDED,
    RUN_NOT_FOUND: 'ABSENT',
  },
  ProvideInput: {
    INPUT_NOT_FOUND: `${UNDISPATCHED} DISPATCHED RUNNING PAUSED CANCELED_REQUESTED ${ENDED}`,
    RUN_NOT_FOUND: 'ABSENT',
  },
  ExpireInput: {
    nothing: `${UNDISPATCHED} DISPATCHED RUNNING PAUSED CANCELED_REQUESTED ${ENDED}`,
    RUN_NOT_FOUND: 'ABSENT',
  },
};

const answerTo = (command: RunCommand, history: readonly RunFact[]): string => {
  const answer = kit.decideOrRefuse(command, fold(history));
  return Array.isArray(answer) ? answer.map(({ kind }) => kind).join(' ') || 'nothing' : answer;
};

const cells = Object.values(COMMANDS).flatMap((command) =>
  Object.entries(TABLE[command.kind]).flatMap(([answer, states]) =>
    states.split(' ').map((state) => ({ command, state: state as State, answer })),
  ),
);

describe('every command against every state', () => {
  it('has one answer', () => {
    const asked = cells.map(({ command, state }) => `${command.kind} ${state}`);
    const expected = Object.keys(COMMANDS).flatMap((kind) => STATES.map((state) => `${kind} ${state}`));
    expect(asked.sort()).toEqual(expected.sort());
  });

  it.each(cells)('$command.kind of a run that is $state: $answer', ({ command, state, answer }) => {
    expect(answerTo(command, kit.aRunIn(state))).toBe(answer);
  });
});

describe('a run canceled before it was dispatched', () => {
  const canceling = [...kit.aQueuedRun(), kit.runCancelRequested()];
  const canceled = [...canceling, kit.runCanceled()];

  /** What the table says of a canceled run that had begun, where this one differs. */
  const ANSWERS: { readonly [K in RunCommand['kind']]?: readonly [canceling: Answer, canceled: Answer] } = {
    QueueRun: ['nothing', 'nothing'],
    StartRun: ['RUN_CANCEL_REQUESTED', 'RUN_ENDED'],
    SaveCheckpoint: ['RUN_NOT_STARTED', 'RUN_ENDED'],
    FinishNode: ['RUN_NOT_STARTED', 'RUN_ENDED'],
    SuspendNode: ['RUN_NOT_STARTED', 'RUN_ENDED'],
    Say: ['RUN_NOT_STARTED', 'RUN_ENDED'],
    RequestTool: ['RUN_NOT_STARTED', 'RUN_ENDED'],
    ProgressTool: ['RUN_NOT_STARTED', 'RUN_ENDED'],
    FinishTool: ['RUN_NOT_STARTED', 'RUN_ENDED'],
    RequestInput: ['RUN_NOT_STARTED', 'RUN_ENDED'],
  };
  const usual = (kind: RunCommand['kind'], state: State) =>
    cells.find((cell) => cell.command.kind === kind && cell.state === state)?.answer;

  it.each(Object.values(COMMANDS))('answers $kind', (command) => {
    const special = ANSWERS[command.kind];
    expect(answerTo(command, canceling)).toBe(special?.[0] ?? usual(command.kind, 'CANCELED_REQUESTED'));
    expect(answerTo(command, canceled)).toBe(special?.[1] ?? usual(command.kind, 'CANCELED'));
  });
});
