import { EventId, type NodeTask, type ReadyTask, type RunRef, type RunTask, TaskKey } from '@millrace/contracts';
import {
  type ConsumerName,
  type Delivery,
  type DeliveryOptions,
  done,
  type Outcome,
  type Platform,
} from '@millrace/ports';
import { setTimeout as pause } from 'node:timers/promises';
import { ulid } from 'ulid';
import { aNewRun } from './log-fixtures.js';

/** The platform as one process has it. */
export interface PlatformProcess {
  readonly platform: Platform;
  /** As a process that is killed: it says nothing more, and nothing reaches it. */
  readonly kill: () => Promise<void>;
}

export interface OpenedPlatform {
  readonly platform: Platform;
  /** The same store as another process sees it. */
  another(): Promise<PlatformProcess>;
  close(): Promise<void>;
}

export type Opened = () => OpenedPlatform;

/** Waits for a fact; what never becomes one ends with the test's time. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await pause(5);
};

export const anEventId = (): EventId => EventId.parse(ulid());

export const aRunTask = (run: RunRef = aNewRun()): RunTask => ({
  ...{ version: '1', work: 'run', ...run, agent: 'echo', agentVersion: '1', place: 1 },
});

export const aNodeTask = (run: RunRef = aNewRun(), name = 'plan', input = '{}'): ReadyTask => ({
  ...{ version: '1', ...run, agent: 'echo', agentVersion: '1', key: TaskKey.parse(`1/${name}`), node: name },
  ...{ iteration: 1, inputHash: 'x', input },
});

/** What the message of a task holds. */
export const taskIn = ({ data }: Pick<Delivery, 'data'>): NodeTask & RunTask =>
  JSON.parse(new TextDecoder().decode(data)) as NodeTask & RunTask;

/** A process of its own that takes from a consumer, until it is stopped: with it all that it had asked for is gone. */
export const consumeWith = async (
  opened: OpenedPlatform,
  consumer: ConsumerName,
  handle: (delivery: Delivery, platform: Platform) => Promise<Outcome>,
  options?: DeliveryOptions,
): Promise<{ stop: () => Promise<void> }> => {
  const { platform, kill } = await opened.another();
  const consuming = await platform.deliveries.consume(consumer, (delivery) => handle(delivery, platform), options);
  return {
    async stop() {
      await consuming.close(10_000);
      await kill();
    },
  };
};

/** Deliveries of one run; those of others, which tests before left behind, are done. */
export const consumeOf = (
  run: RunRef,
  opened: OpenedPlatform,
  consumer: ConsumerName,
  handle: (delivery: Delivery, platform: Platform) => Promise<Outcome>,
  options?: DeliveryOptions,
): Promise<{ stop: () => Promise<void> }> =>
  consumeWith(
    opened,
    consumer,
    async (delivery, platform) => (delivery.subject.includes(run.runId) ? handle(delivery, platform) : done),
    options,
  );
