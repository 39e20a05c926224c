import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AgentAnnouncement,
  anEventId,
  FACT_FIXTURES,
  KINDS,
  RUN_EVENT_KINDS,
  SERVICES,
  subjects,
} from '@millrace/contracts';
import { EMPTY_TAIL, type EventDraft } from '@millrace/ports';
import { startTestNats, type TestNats } from '@millrace/testing/servers';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { JetStreamAgentCatalogue } from './jetstream-agent-catalogue.js';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import { JetStreamEventFeed } from './jetstream-event-feed.js';
import { JetStreamRunLog } from './jetstream-run-log.js';
import { JetStreamTicketLedger } from './jetstream-ticket-ledger.js';
import { connectNats } from './nats-connection.js';
import { NATS_USERS, natsUsers, type NatsUserName } from './nats-users.js';
import { aRun, draftOf, token } from './spec-nats.for-spec.js';
import { STREAMS } from './topology.js';
import { setUpTopology, verifyTopology } from './topology-setup.js';

/** Beyond what a server sends before it wants to hear that somebody listens. */
const LARGE = 'x'.repeat(9_000_000);
const ROOM = { maxLogBytes: 64 * 1024 ** 2, maxBlobBytes: 64 * 1024 ** 2 };
const opened: NatsConnection[] = [];
const servers: TestNats[] = [];
afterAll(async () => {
  await Promise.all(opened.map((nats) => nats.close()));
  await Promise.all(servers.map((server) => server.stop()));
});
const start = async (extraConfig?: string): Promise<TestNats> => {
  const server = await startTestNats(extraConfig === undefined ? {} : { extraConfig });
  servers.push(server);
  return server;
};
const connect = async (url: string): Promise<NatsConnection> => {
  const nats = await connectNats({ url, name: 'spec' });
  opened.push(nats);
  return nats;
};

describe('The streams', () => {
  let nats: NatsConnection;
  beforeAll(async () => {
    nats = await connect((await start()).url);
  });

  it('are reported as missing until they are set up', async () => {
    await expect(verifyTopology(nats)).rejects.toMatchObject({
      code: 'TOPOLOGY_DRIFTED',
      message: expect.stringContaining('stream RUNS is missing'),
    });
  });

  it('may be set up by several at once and again, and are then as declared', async () => {
    await Promise.all(Array.from({ length: 4 }, () => setUpTopology(nats, ROOM)));
    await setUpTopology(nats, ROOM);
    await setUpTopology(nats, { ...ROOM, maxLogBytes: 2 * ROOM.maxLogBytes }); // another disk is no drift
    await verifyTopology(nats);
  });

  it('have consumers that hear the kinds of this version once it is set up, and keep their place', async () => {
    const manager = await jetstreamManager(nats);
    const older = { filter_subjects: ['tenant.*.run.*.RunStarted', 'tenant.*.run.*.NodeFinished'] };
    await manager.consumers.update(STREAMS.runs, 'orchestrator', older);
    const log = new JetStreamRunLog(nats, new JetStreamBlobStore(nats));
    const run = aRun();
    const { tail } = await log.append(run, draftOf(FACT_FIXTURES.RunStarted), EMPTY_TAIL);
    const consumer = await jetstream(nats).consumers.get(STREAMS.runs, 'orchestrator');
    await (await consumer.next({ expires: 5_000 }))?.ackAck();
    await expect(verifyTopology(nats)).rejects.toMatchObject({
      differences: [expect.stringContaining('filter_subjects')],
    });
    await setUpTopology(nats, ROOM);
    await verifyTopology(nats);
    await log.append(run, draftOf(FACT_FIXTURES.GraphEnded), tail);
    expect((await consumer.next({ expires: 5_000 }))?.subject).toContain('.GraphEnded');
  });

  it('refuse deletes and purges of the log', async () => {
    const manager = await jetstreamManager(nats);
    const log = new JetStreamRunLog(nats, new JetStreamBlobStore(nats));
    const run = aRun();
    const { tail } = await log.append(run, token('kept'), EMPTY_TAIL);
    await expect(manager.streams.deleteMessage(STREAMS.runs, tail.streamSequence)).rejects.toThrow();
    await expect(manager.streams.purge(STREAMS.runs)).rejects.toThrow();
    expect((await log.read(run)).events).toHaveLength(1);
  });

  it('are reported, and not changed, when they differ from their declaration', async () => {
    const manager = await jetstreamManager(nats);
    await manager.streams.update(STREAMS.tasks, { description: 'by hand', max_msgs_per_subject: 7 });
    await verifyTopology(nats); // nothing we declared
    const { config } = await manager.streams.info(STREAMS.runs);
    const { republish, ...changed } = config;
    await nats.request(`$JS.API.STREAM.UPDATE.${STREAMS.runs}`, JSON.stringify({ ...changed, allow_direct: false }));
    const differences = [expect.stringContaining('RUNS: allow_direct'), expect.stringContaining('RUNS: republish')];
    await expect(verifyTopology(nats)).rejects.toMatchObject({ differences: expect.arrayContaining(differences) });
    await expect(setUpTopology(nats, ROOM)).rejects.toMatchObject({ code: 'TOPOLOGY_DRIFTED' });
    expect((await manager.streams.info(STREAMS.runs)).config.allow_direct).toBe(false);
    expect(republish).toBeDefined();
  });

  it('say how much room is missing instead of being created halfway', async () => {
    const small = await connect((await start('jetstream { max_file_store: 10MB }')).url);
    await expect(setUpTopology(small, ROOM)).rejects.toMatchObject({
      code: 'NATS_UNSUITABLE',
      message: expect.stringContaining('stream RUNS may grow to'),
    });
  });
});

describe('A connection', () => {
  it('says where nobody answers and what to do', async () => {
    await expect(connectNats({ url: 'nats://127.0.0.1:1', name: 'spec' })).rejects.toMatchObject({
      code: 'NATS_UNREACHABLE',
      message: expect.stringMatching(/127\.0\.0\.1:1 .*NATS_URL/),
    });
  });
});

describe("A service's NATS user", () => {
  const passwords = Object.fromEntries(NATS_USERS.map((name) => [name, `pass "${name}"`])) as Record<
    NatsUserName,
    string
  >;
  const users = new Map<NatsUserName, NatsConnection>();
  beforeAll(async () => {
    const { url } = await start(natsUsers(passwords));
    for (const name of NATS_USERS) {
      users.set(name, await connect(url.replace('//', `//${name}:${encodeURIComponent(passwords[name])}@`)));
    }
    await setUpTopology(users.get('admin')!, ROOM);
  });

  const logOf = (name: NatsUserName) => {
    const nats = users.get(name)!;
    return new JetStreamRunLog(nats, new JetStreamBlobStore(nats), { appendTimeoutMs: 500 });
  };

  it.each(SERVICES.flatMap((service) => RUN_EVENT_KINDS.map((kind) => [service, kind] as const)))(
    '%s is held to its row when it appends %s',
    async (service, kind) => {
      const { eventId, ts } = token('x');
      const draft: EventDraft = { ...FACT_FIXTURES[kind], eventId, ts };
      const mayAppend = KINDS[kind].appendedBy.includes(service);
      const run = aRun();
      const outcome = await logOf(service)
        .append(run, draft, EMPTY_TAIL)
        .then(
          () => 'stored',
          (error: { code: string }) => error.code,
        );
      expect(outcome).toBe(mayAppend ? 'stored' : 'STORE_UNAVAILABLE');
      expect((await logOf('admin').read(run)).events).toHaveLength(mayAppend ? 1 : 0);
    },
  );

  it.each(['run-api', 'orchestrator', 'node-workers', 'stream-gateway'] as const)(
    '%s verifies the streams, reads, follows and finds out about its own appends',
    async (service) => {
      await verifyTopology(users.get(service)!);
      const run = aRun();
      const { tail } = await logOf('admin').append(run, token(LARGE), EMPTY_TAIL);
      const following = logOf(service).follow(run);
      expect((await following.next()).value).toMatchObject({ position: 0, text: LARGE });
      await logOf('admin').append(run, token('live'), tail);
      expect((await following.next()).value).toMatchObject({ position: 1, text: 'live' });
      await following.return?.();
      expect((await logOf(service).read(run)).events).toHaveLength(2);
    },
  );

  it('only stream-gateway uses up tickets, each once', async () => {
    const id = anEventId;
    for (const service of SERVICES.filter((name) => name !== 'stream-gateway')) {
      const refused = new JetStreamTicketLedger(users.get(service)!, 300).redeem(id);
      await expect(refused).rejects.toMatchObject({ code: 'TICKET_LEDGER_UNAVAILABLE' });
    }
    const [one, two] = [1, 2].map(() => new JetStreamTicketLedger(users.get('stream-gateway')!));
    const answers = await Promise.all([one!.redeem(id), two!.redeem(id), one!.redeem(id)]);
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await two!.redeem(id)).toBe(false);
  });

  it('node-workers alone announces agents, for run-api and orchestrator to read', async () => {
    const announcement = AgentAnnouncement.parse({
      ...{ format: '1', id: 'echo', version: '1', policies: [], speakers: ['echo'], conversational: true, tools: [] },
      ...{ graph: { nodes: [], edges: [] }, announcedBy: anEventId },
    });
    const workerId = announcement.announcedBy;
    const catalogueOf = (name: NatsUserName) => new JetStreamAgentCatalogue(users.get(name)!, { answerWithinMs: 300 });
    const over = new AbortController();
    for (const service of SERVICES.filter((name) => name !== 'node-workers')) {
      const refused = catalogueOf(service).present({ format: '1', workerId, serves: [] });
      await expect(refused).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    }
    const [api, orchestrator] = await Promise.all(
      (['run-api', 'orchestrator'] as const).map((name) => catalogueOf(name).watch(over.signal)),
    );
    const isHeard = new Promise<void>((resolve) => api!.onChange(() => api!.isServed('echo', '1') && resolve()));
    const worker = catalogueOf('node-workers');
    await worker.announce(announcement);
    await worker.announce(announcement); // again, by a worker that comes later
    await worker.present({
      ...{ format: '1', workerId },
      serves: [{ agent: 'echo', version: '1', isCurrent: true }],
    });
    await isHeard;
    await orchestrator!.refresh();
    expect(orchestrator!.startable('echo')).toBe('1');
    await worker.withdraw(workerId);
    over.abort();
    const unread = catalogueOf('projector').watch(over.signal);
    await expect(unread).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('projector reads the feed', async () => {
    const nats = users.get('projector')!;
    const stop = new AbortController();
    const feed = new JetStreamEventFeed(nats, new JetStreamBlobStore(nats));
    const { tail } = await logOf('admin').append(aRun(), token(LARGE), EMPTY_TAIL);
    for await (const batch of feed.batches({ afterStreamSequence: 0, signal: stop.signal })) {
      const large = batch.find(({ streamSequence }) => streamSequence === tail.streamSequence);
      if (large === undefined) continue;
      expect(large).toMatchObject({ event: { text: LARGE } });
      stop.abort();
    }
  });

  it.each(SERVICES)(
    '%s may neither delete a stream nor take messages of another service nor hear its answers',
    async (service) => {
      const nats = users.get(service)!;
      const ask = (subject: string) =>
        nats.request(subject, '', { timeout: 300 }).then(
          () => 'answered',
          () => 'refused',
        );
      expect(await ask(`$JS.API.STREAM.DELETE.${STREAMS.runs}`)).toBe('refused');
      expect(await ask(`$JS.API.STREAM.PURGE.${STREAMS.blobs}`)).toBe('refused');
      expect(await ask(`$JS.API.STREAM.UPDATE.${STREAMS.runs}`)).toBe('refused');
      const heard: unknown[] = [];
      nats.subscribe('_INBOX_admin.>', { callback: (error) => void heard.push(error?.name) });
      nats.subscribe(subjects.everyRun(), { callback: (error) => void heard.push(error?.name) });
      await nats.flush();
      await verifyTopology(users.get('admin')!);
      expect(heard).toEqual(['PermissionViolationError', 'PermissionViolationError']);
    },
  );
});
