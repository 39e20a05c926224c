import { isTerminal, type RunEvent, type TaskKey } from '@millrace/contracts';
import { areUnique, countsFrom, ofKind, type Law } from './law.js';

export const TASK_LAWS: readonly Law[] = [
  {
    says: 'a task is scheduled once and finished at most once',
    holds: (events) =>
      areUnique([
        ...ofKind(events, 'NodeScheduled').flatMap(({ tasks }) => tasks.map(({ key }) => key)),
        ...ofKind(events, 'NodeStarted').flatMap(({ taskKey, scheduled }) => (scheduled ? [taskKey] : [])),
      ]) && areUnique(ofKind(events, 'NodeFinished').map(({ taskKey }) => taskKey)),
  },
  {
    says: 'the attempts of a task count up by one',
    holds: (events) =>
      byTask(events).every((said) =>
        countsFrom(
          1,
          ofKind(said, 'NodeStarted').map(({ attempt }) => attempt),
        ),
      ),
  },
  {
    says: 'only the attempt that holds a task speaks for it, and nobody once it is finished',
    holds: (events) => byTask(events).every(isSaidByHolder),
  },
  {
    says: 'a suspended task starts again only when all it asked is answered or expired',
    holds: (events) => ofKind(events, 'NodeSuspended').every((wait) => isAnsweredInTime(wait, events)),
  },
  {
    says: 'an effect and the answer of a model are recorded once in a task',
    holds: (events) =>
      byTask(events).every(
        (said) =>
          areUnique(ofKind(said, 'EffectRecorded').map(({ key }) => key)) &&
          areUnique(ofKind(said, 'ModelResponded').map(({ callId }) => callId)),
      ),
  },
  {
    says: 'a request for input is made once, and answered or expired at most once after that',
    holds: (events) => {
      const asked = ofKind(events, 'InputRequested');
      const closed = ofKind(events, 'InputProvided', 'InputExpired');
      return (
        areUnique(asked.map(({ requestId }) => requestId)) &&
        areUnique(closed.map(({ requestId }) => requestId)) &&
        closed.every((end) => asked.some((ask) => ask.requestId === end.requestId && ask.position < end.position))
      );
    },
  },
  {
    says: 'a tool is requested once, and answered at most once after that',
    holds: (events) => {
      const requested = ofKind(events, 'ToolRequested');
      const answers = ofKind(events, 'ToolFinished');
      return (
        areUnique(requested.map(({ toolUseId }) => toolUseId)) &&
        areUnique(answers.map(({ toolUseId }) => toolUseId)) &&
        answers.every((end) => requested.some((call) => isPair(call, end) && call.position < end.position))
      );
    },
  },
  {
    says: 'every tool of a task or a run that has ended is answered',
    holds: (events) => {
      const answers = ofKind(events, 'ToolFinished');
      const ends = [...ofKind(events, 'NodeFinished'), ...events.filter(isTerminal)];
      return ofKind(events, 'ToolRequested').every((call) =>
        ends
          .filter((end) => !('taskKey' in end) || end.taskKey === call.taskKey)
          .every((end) => answers.some((answer) => isPair(call, answer) && answer.position < end.position)),
      );
    },
  },
];

type Spoken = Extract<RunEvent, { taskKey: TaskKey }>;

const byTask = (events: readonly RunEvent[]): Spoken[][] => {
  const spoken = events.filter((event): event is Spoken => 'taskKey' in event);
  return [...Map.groupBy(spoken, ({ taskKey }) => taskKey).values()];
};

/** An answer in place of a worker that is gone may come while nobody holds the task, but never in another's name. */
const isSaidByHolder = (said: readonly Spoken[]): boolean => {
  let attempt = 0;
  let isHeld = false;
  let isFinished = false;
  return said.every((event) => {
    if (isFinished) return false;
    if (event.kind === 'NodeStarted') [attempt, isHeld] = [event.attempt, true];
    const isEntitled = event.attempt === attempt && (isHeld || event.kind === 'ToolFinished');
    isFinished = event.kind === 'NodeFinished';
    if (event.kind === 'NodeRetryScheduled' || event.kind === 'NodeSuspended') isHeld = false;
    return isEntitled;
  });
};

const isAnsweredInTime = (wait: Extract<Spoken, { kind: 'NodeSuspended' }>, events: readonly RunEvent[]): boolean => {
  const next = ofKind(events, 'NodeStarted').find(
    ({ taskKey, position }) => taskKey === wait.taskKey && position > wait.position,
  );
  if (!next) return true;
  const closed = ofKind(events, 'InputProvided', 'InputExpired').filter(({ position }) => position < next.position);
  return wait.requestIds.every((requestId) => closed.some((end) => end.requestId === requestId));
};

interface Call {
  readonly toolUseId: string;
  readonly tool: string;
  readonly taskKey: TaskKey;
}
const isPair = (left: Call, right: Call): boolean =>
  left.toolUseId === right.toolUseId && left.tool === right.tool && left.taskKey === right.taskKey;
