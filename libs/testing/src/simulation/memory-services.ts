import type { MemoryProcess } from '@millrace/adapter-memory';
import { type MoveNotes, type MovePorts, type MoverOptions, RunMover, type RunOverseer } from '@millrace/application';
import { NodeTask, runOfTimer, RunTask } from '@millrace/contracts';
import { type Consuming, type HandleDelivery, park, type RunLog, type TaskQueue } from '@millrace/ports';

/** As the services have it: a message that is parked would leave its run where it is. */
export const PATIENT = { maxAttempts: 1_000 };

/** What an orchestrator hears, on a process of the platform in memory: events and timers. */
export const consumeAsOrchestrator = (
  { deliveries, runs }: MemoryProcess,
  overseer: RunOverseer,
  log: RunLog = runs,
): Promise<Consuming[]> => {
  const heard: HandleDelivery = async (delivery) => {
    const { event, tail } = await log.delivered(delivery);
    return overseer.heard(event, tail, delivery.attempt);
  };
  const rang: HandleDelivery = async ({ subject, attempt }) => {
    const ref = runOfTimer(subject);
    return ref ? overseer.advance(ref, 'now', attempt) : park(`${subject} names no run`);
  };
  return Promise.all([
    deliveries.consume('orchestrator', heard, { ...PATIENT, concurrency: 4 }),
    deliveries.consume('orchestrator-timers', rang, { ...PATIENT, concurrency: 2 }),
  ]);
};

export interface MoverParts extends Pick<MovePorts, 'graphs' | 'agents' | 'llm'>, MoverOptions {
  readonly log?: RunLog;
  readonly isVersionGone?: MovePorts['isVersionGone'];
  readonly notes?: Partial<MoveNotes>;
}

/** What a worker moves runs with, on a process of the platform in memory. */
export const moverOn = (process: MemoryProcess, { notes, branches, keepMs, ...parts }: MoverParts): RunMover =>
  new RunMover(
    { ...process, log: process.runs, isVersionGone: async () => false, ...parts },
    { letGo: () => {}, bodyFailed: () => {}, moveFailed: () => {}, agentMissing: () => {}, ...notes },
    { branches, keepMs },
  );

/** What a worker does with a message of its queue. */
export const workOn =
  (mover: RunMover, tasks: TaskQueue): HandleDelivery =>
  async ({ data, attempt: deliveries, hasStalled, othersWait }) => {
    const message = { deliveries, hasStalled, othersWait };
    const body: unknown = JSON.parse(new TextDecoder().decode(data));
    const asRun = RunTask.safeParse(body);
    if (asRun.success) return mover.move(asRun.data, message);
    return mover.execute(await tasks.ready(NodeTask.parse(body)), message);
  };
