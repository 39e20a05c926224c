import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventId, TenantId, THREAD_CREATED_FIXTURE, ThreadId, type ThreadEvent } from '@millrace/contracts';
import { ulid } from 'ulid';
import { JetStreamThreadLog } from './jetstream-thread-log.js';
import { SpecNats } from './spec-nats.for-spec.js';

let spec: SpecNats;
beforeAll(async () => {
  spec = await SpecNats.start();
});
afterAll(() => spec.stop());

const aThread = (): ThreadEvent => ({
  ...THREAD_CREATED_FIXTURE,
  tenantId: TenantId.parse(ulid()),
  threadId: ThreadId.parse(ulid()),
  eventId: EventId.parse(ulid()),
});

describe('JetStreamThreadLog', () => {
  it('finds what was created, for its tenant alone', async () => {
    const log = new JetStreamThreadLog(spec.nats);
    const thread = aThread();
    expect(await log.create(thread)).toEqual(thread);
    expect(await log.find(thread)).toEqual(thread);
    expect(await log.find({ ...thread, tenantId: TenantId.parse(ulid()) })).toBeUndefined();
    expect(await log.find(aThread())).toBeUndefined();
  });

  it('creates a thread once, whoever is first', async () => {
    const logs = [new JetStreamThreadLog(spec.nats), new JetStreamThreadLog(await spec.connect())];
    const thread = aThread();
    const twins = Array.from({ length: 10 }, (_, at) => ({
      ...thread,
      eventId: EventId.parse(ulid()),
      title: `${at}`,
    }));
    const stored = await Promise.all(twins.map((twin, at) => logs[at % 2]!.create(twin)));
    expect(new Set(stored.map(({ eventId }) => eventId)).size).toBe(1);
  });

  it('stores nothing that is no thread', async () => {
    const bad = { ...aThread(), title: 'x'.repeat(501) };
    await expect(new JetStreamThreadLog(spec.nats).create(bad)).rejects.toMatchObject({ code: 'EVENT_INVALID' });
  });
});
