import 'reflect-metadata';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock, memoryPlatform } from '@millrace/adapter-memory';
import { RunCommandHandler, RunRetries } from '@millrace/application';
import { type AgentAnnouncement, RunId } from '@millrace/contracts';
import { consumerTroubles, JetStreamContext } from '@millrace/nest-kit';
import { type Consuming, RETRY_KINDS } from '@millrace/ports';
import { aRunRef, eventPoisons, failRun, requestRun } from '@millrace/testing';
import { Logger } from '@nestjs/common';
import { RetryController } from './retry.controller.js';

const broken = { ...aRunRef, runId: RunId.parse('01JD00000000000000000000ZZ') };
const next = { ...aRunRef, runId: RunId.parse('01JD00000000000000000000YY') };
const ANY = { requireAgent: async () => ({}) as AgentAnnouncement };
const lines: unknown[] = [];
let loop: Consuming;

beforeEach(() => {
  lines.length = 0;
  const ignore = () => {};
  Logger.overrideLogger({ log: ignore, warn: ignore, error: (line: unknown) => void lines.push(line) });
});
afterEach(async () => {
  Logger.overrideLogger(false);
  await loop.close(0);
});

/** A store in memory has no headers, and takes a payload that is gone for one that is there. */
const withoutHeaders = (...of: Parameters<typeof eventPoisons>) =>
  eventPoisons(...of).filter(({ headers }) => headers === undefined);

describe('The retries are gone on with, when in the log', () => {
  const poisons = RETRY_KINDS.flatMap((kind) =>
    withoutHeaders(broken, kind).map((poison) => [kind, poison.sort, poison] as const),
  );

  it.each(poisons)('a %s %s', async (_, _sort, { subject, data }) => {
    const platform = memoryPlatform({ clock: new ManualClock() });
    const ports = { ...platform, log: platform.runs };
    const handler = new RunCommandHandler(ports);
    const retries = new RetryController(
      new RunRetries(ports, { improver: 'improver', newRunId: () => next.runId, agents: ANY }),
    );
    const handle = (context: JetStreamContext) => retries.happened(context);
    const options = { concurrency: 1, maxAttempts: 1_000, ...consumerTroubles('Retries', 'run-api-retries') };
    const contextOf = (delivery: object) => new JetStreamContext([{ ...delivery, headers: undefined } as never]);
    loop = await platform.deliveries.consume('run-api-retries', (delivery) => handle(contextOf(delivery)), options);

    platform.store.runs.store({ subject, data });
    await handler.handle(requestRun());
    await handler.handle({ kind: 'StartRun', ...aRunRef, agentVersion: '1' });
    await handler.handle(failRun());
    await handler.handle({ kind: 'RequestRetry', ...aRunRef, by: 'ada', retryRunId: next.runId });
    const requested = async () => (await platform.runs.read(next)).events;
    while ((await requested()).length === 0) await new Promise(setImmediate);

    expect(await requested()).toMatchObject([{ kind: 'RunRequested', retryOf: aRunRef.runId }]);
    expect(await platform.deadLetters.list(10)).toMatchObject([{ consumer: 'run-api-retries', subject, attempts: 1 }]);
    expect(lines).toEqual([expect.objectContaining({ loop: 'run-api-retries', ...broken, reason: 'EVENT_INVALID' })]);
  });
});
