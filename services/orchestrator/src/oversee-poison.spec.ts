import 'reflect-metadata';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock, memoryPlatform } from '@millrace/adapter-memory';
import { RunCommandHandler, RunOverseer } from '@millrace/application';
import { RunId, subjects } from '@millrace/contracts';
import { consumerTroubles, JetStreamContext } from '@millrace/nest-kit';
import { type Consuming, type Delivery, OVERSEEN_KINDS } from '@millrace/ports';
import { aRunRef, eventPoisons, type Poison, requestRun, timerPoisons } from '@millrace/testing';
import { Logger } from '@nestjs/common';
import { OverseeController } from './oversee.controller.js';

const broken = { ...aRunRef, runId: RunId.parse('01JD00000000000000000000ZZ') };
const lines: unknown[] = [];
const loops: Consuming[] = [];

beforeEach(() => {
  lines.length = 0;
  const ignore = () => {};
  Logger.overrideLogger({ log: ignore, warn: ignore, error: (line: unknown) => void lines.push(line) });
});
afterEach(async () => {
  Logger.overrideLogger(false);
  await Promise.all(loops.splice(0).map((loop) => loop.close(0)));
});

/** An orchestrator's consumers, as the service has them, on a platform in memory. */
const anOrchestrator = async () => {
  const platform = memoryPlatform({ clock: new ManualClock() });
  const ports = { ...platform, log: platform.runs };
  const controller = new OverseeController(new RunOverseer(ports), platform.runs);
  const contextOf = (delivery: Delivery) => new JetStreamContext([{ ...delivery, headers: undefined }]);
  const options = { concurrency: 4, maxAttempts: 1_000 };
  const { deliveries } = platform;
  loops.push(
    await deliveries.consume('orchestrator', (delivery) => controller.happened(contextOf(delivery)), {
      ...{ ...options, ...consumerTroubles('Oversee', 'orchestrator') },
    }),
    await deliveries.consume('orchestrator-timers', (delivery) => controller.rang(contextOf(delivery)), {
      ...{ ...options, ...consumerTroubles('Timers', 'orchestrator-timers') },
    }),
  );
  const handler = new RunCommandHandler(ports);
  const quiet = async () => {
    for (let turns = 0; turns < 30; turns += 1) await new Promise(setImmediate);
  };
  /** What the overseer is there for: a run that was started is offered to the workers. */
  const isOffered = async (): Promise<boolean> => {
    await handler.handle(requestRun());
    await handler.handle({ kind: 'StartRun', ...aRunRef, agentVersion: '1' });
    await quiet();
    return platform.tasks.has(aRunRef);
  };
  return { platform, isOffered, letters: () => platform.deadLetters.list(100), quiet };
};

describe('The overseer sets aside and goes on, when in the log', () => {
  const poisons = OVERSEEN_KINDS.flatMap((kind) =>
    eventPoisons(broken, kind).map((poison) => [kind, poison.sort, poison] as const),
  );

  it.each(poisons)('a %s %s', async (_, _sort, { subject, data }: Poison) => {
    const { platform, isOffered, letters } = await anOrchestrator();
    platform.store.runs.store({ subject, data });
    expect(await isOffered()).toBe(true);
    expect(await letters()).toMatchObject([{ consumer: 'orchestrator', subject, attempts: 1, streamSequence: 1 }]);
    expect(lines).toEqual([
      expect.objectContaining({
        ...{ message: expect.stringContaining(`Run ${broken.runId} is set aside by orchestrator`), ...broken },
        ...{ loop: 'orchestrator', subject, place: 1, attempts: 1, reason: 'EVENT_INVALID' },
      }),
    ]);
  });
});

describe('The timers go on, when', () => {
  it.each(timerPoisons(broken).map((poison) => [poison.sort, poison] as const))(
    'one that rings %s',
    async (_, { subject, data }) => {
      const { platform, isOffered, letters, quiet } = await anOrchestrator();
      platform.store.timers.store({ subject, data });
      await quiet();
      expect(await letters()).toMatchObject([{ consumer: 'orchestrator-timers', subject, attempts: 1 }]);
      expect(lines).toEqual([
        expect.objectContaining({ loop: 'orchestrator-timers', reason: 'PARKED', message: expect.any(String) }),
      ]);
      expect(await isOffered()).toBe(true);
    },
  );

  const withoutHeaders = eventPoisons(broken, 'RunRequested').filter(({ headers }) => headers === undefined);

  it.each(withoutHeaders.map((poison) => [poison.sort, poison] as const))(
    'one rings for a run with an event that %s',
    async (_, { subject, data }) => {
      const { platform, isOffered, letters, quiet } = await anOrchestrator();
      platform.store.runs.store({ subject, data });
      platform.store.timers.store({ subject: subjects.timerDue(broken, 'deadline'), data: '' });
      await quiet();
      expect(await letters()).toMatchObject([{ consumer: 'orchestrator-timers', attempts: 1 }]);
      expect(lines).toEqual([expect.objectContaining({ ...broken, reason: 'EVENT_INVALID' })]);
      expect(await isOffered()).toBe(true);
    },
  );
});
