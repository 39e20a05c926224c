import { afterEach, describe, expect, it } from '@jest/globals';
import { startTestNats, type TestNats } from '@millrace/testing/servers';
import { JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import { errors, headers, type NatsConnection } from '@nats-io/nats-core';
import { AcknowledgedPublisher } from './acknowledged-publisher.js';
import { isWrongLastSequence } from './api-codes.js';
import { connectNats } from './nats-connection.js';
import { until } from './spec-nats.for-spec.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Longer than a spec may take: what is not told at once is not told. */
const NEVER_MS = 3_600_000;

/** Everybody may publish everywhere, but for one subject. */
const opened = async (timeoutMs = NEVER_MS): Promise<World> => {
  const deny = '{ publish: { deny: ["log.forbidden"] } }';
  const server = await startTestNats({
    extraConfig: `authorization { users: [{ user: u, password: p, permissions: ${deny} }] }`,
  });
  closing.push(() => server.stop());
  const nats = await connectNats({ url: server.url.replace('nats://', 'nats://u:p@'), name: 'spec' });
  closing.push(() => nats.close());
  await (await jetstreamManager(nats)).streams.add({ name: 'LOG', subjects: ['log.*'] });
  const publisher = new AcknowledgedPublisher(nats, timeoutMs);
  const publish = (subject: string, sequence: number, id: string) =>
    publisher.publish(subject, new TextEncoder().encode(id), {
      ...{ id, headers: headers(), last: { sequence, filter: subject } },
    });
  return { server, nats, publish };
};
interface World {
  readonly server: TestNats;
  readonly nats: NatsConnection;
  readonly publish: (
    subject: string,
    sequence: number,
    id: string,
  ) => Promise<{ readonly seq: number; readonly duplicate: boolean }>;
}

const refusal = (publishing: Promise<unknown>): Promise<unknown> =>
  publishing.then(
    () => 'stored',
    (cause: unknown) => cause,
  );

describe('A publisher', () => {
  it('gives each message the answer that is its own, however many are on their way', async () => {
    const { publish } = await opened();
    const names = Array.from({ length: 200 }, (_, at) => `m${at}`);
    const acks = await Promise.all(names.map((name) => publish(`log.${name}`, 0, name)));
    expect(acks.map(({ seq }) => seq)).toEqual(names.map((_, at) => at + 1));
    const refused = await refusal(publish('log.m0', 0, 'late'));
    expect(refused).toBeInstanceOf(JetStreamApiError);
    expect(isWrongLastSequence(refused)).toBe(true);
    expect(await publish('log.m0', 1, 'next')).toEqual({ seq: 201, duplicate: false });
  });

  it('hears at once that it may not, that nobody stores the subject, and that its connection was closed', async () => {
    const { publish, nats, server } = await opened();
    expect(await refusal(publish('log.forbidden', 0, 'a'))).toBeInstanceOf(errors.PermissionViolationError);
    expect(await refusal(publish('elsewhere', 0, 'b'))).toBeInstanceOf(errors.NoRespondersError);
    await server.pause();
    const open = refusal(publish('log.x', 0, 'c'));
    await nats.close();
    expect(await open).toBeInstanceOf(errors.ClosedConnectionError);
    expect(await refusal(publish('log.x', 0, 'd'))).toBeInstanceOf(errors.ClosedConnectionError);
    await server.resume();
  });

  it('waits only so long for a server that says nothing, and goes on when it does', async () => {
    const { publish, server } = await opened(200);
    await server.pause();
    expect(await refusal(publish('log.x', 0, 'a'))).toBeInstanceOf(errors.TimeoutError);
    await server.resume();
    let attempts = 0;
    await until(async () => {
      const outcome = await refusal(publish(`log.y${(attempts += 1)}`, 0, `b${attempts}`));
      return outcome === 'stored';
    });
  });
});
