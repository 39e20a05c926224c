import { aTaskKey, FACT_FIXTURES, RequestId, TaskKey, type RunFactOf } from '@millrace/contracts';

type ScheduledTask = RunFactOf<'NodeScheduled'>['tasks'][number];
type Speaker = Omit<RunFactOf<'NodeStarted'>, 'kind' | 'continues'>;

/** A task as it is scheduled: node and iteration are read from its key, e.g. `2/write[0]`. */
export const aTask = (key: string = aTaskKey): ScheduledTask => ({
  key: TaskKey.parse(key),
  ...placeOf(key),
  inputHash: 'q83vEjRWeJo',
});

/** Who speaks for the task: spread it into any fact or command of a node. */
export const speakerOf = (key: string = aTaskKey, attempt = 1): Speaker => ({
  agentId: FACT_FIXTURES.NodeStarted.agentId,
  taskKey: TaskKey.parse(key),
  ...placeOf(key),
  attempt,
});

/** One request for input is seldom enough. Number 5 is the one every builder uses by itself. */
export const requestIdOf = (number: number): RequestId => RequestId.parse(`01JD${number.toString().padStart(22, '0')}`);

const placeOf = (key: string): { node: string; iteration: number } => {
  const [, iteration, node] = /(\d+)\/([^/>[]+)(?:\[\d+\])?$/.exec(key) ?? [];
  if (iteration === undefined || node === undefined) throw new TypeError(`"${key}" is no task key such as 2/write[0]`);
  return { node, iteration: Number(iteration) };
};
