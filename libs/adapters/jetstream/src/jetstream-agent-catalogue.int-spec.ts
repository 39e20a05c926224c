import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentAnnouncement, subjects, WorkerId } from '@millrace/contracts';
import { PRESENT_FOR_MS } from '@millrace/ports';
import { agentCatalogueContract } from '@millrace/testing/suites';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { ulid } from 'ulid';
import { JetStreamAgentCatalogue } from './jetstream-agent-catalogue.js';
import { SpecNats, until } from './spec-nats.for-spec.js';
import { STREAMS } from './topology.js';

agentCatalogueContract('JetStream', async () => {
  const spec = await SpecNats.start();
  let passedMs = 0;
  const nowMs = () => performance.now() + passedMs;
  return {
    connect: async () => new JetStreamAgentCatalogue(await spec.connect(), { nowMs }),
    workersFallSilent: async () => void (passedMs += PRESENT_FOR_MS),
    close: () => spec.stop(),
  };
});

describe('The stream of agents', () => {
  let spec: SpecNats;
  const over = new AbortController();
  beforeAll(async () => {
    spec = await SpecNats.start();
  });
  afterAll(async () => {
    over.abort();
    await spec.stop();
  });

  const announcementOf = (id: string, version = '1') =>
    AgentAnnouncement.parse({
      ...{ format: '1', id, version, policies: [], speakers: [id], conversational: false, tools: [] },
      ...{ graph: { nodes: [], edges: [] }, announcedBy: ulid() },
    });

  it('keeps one message for each version and worker, and lets the server forget workers', async () => {
    const catalogue = new JetStreamAgentCatalogue(await spec.connect());
    const workerId = WorkerId.parse(ulid());
    for (const text of ['one', 'two']) await catalogue.announce({ ...announcementOf('kept'), description: text });
    const presence = { format: '1' as const, workerId, serves: [] };
    for (let beat = 0; beat < 3; beat += 1) await catalogue.present(presence);
    const manager = await jetstreamManager(spec.nats);
    const { state } = await manager.streams.info(STREAMS.agents);
    expect([state.messages, state.last_seq]).toEqual([2, 5]);
    const stored = await manager.streams.getMessage(STREAMS.agents, { last_by_subj: subjects.agentWorker(workerId) });
    expect(stored?.header.get('Nats-TTL')).toBe('31s');
  });

  it('is read past what nobody can read, which is told', async () => {
    const told: string[] = [];
    const js = jetstream(spec.nats);
    const newer = { ...announcementOf('from the future'), format: '2' };
    await js.publish(subjects.agentVersion('from the future', '1'), JSON.stringify(newer));
    await js.publish(subjects.agentVersion('damaged', '1'), '{');
    const catalogue = new JetStreamAgentCatalogue(await spec.connect());
    await catalogue.announce(announcementOf('sound'));
    const notes = { unreadable: (what: string) => void told.push(what) };
    const known = await catalogue.watch(over.signal, notes);
    expect(['from the future', 'damaged', 'sound'].map((agent) => known.has(agent))).toEqual([false, false, true]);
    expect(told).toEqual([subjects.agentVersion('from the future', '1'), subjects.agentVersion('damaged', '1')]);
    await catalogue.announce(announcementOf('damaged')); // a worker that has it puts it right
    await known.refresh();
    expect(known.has('damaged')).toBe(true);
  });

  it('is read whole when it has more messages than a page', async () => {
    const nats = await spec.connect();
    const catalogue = new JetStreamAgentCatalogue(nats);
    const ids = Array.from({ length: 1_100 }, (_, at) => `many-${at}`);
    await Promise.all(ids.map((id) => catalogue.announce(announcementOf(id))));
    const known = await new JetStreamAgentCatalogue(await spec.connect()).watch(over.signal);
    expect(ids.filter((id) => !known.has(id))).toEqual([]);
  });

  it('is looked at again when a live message was missed, or the connection was away', async () => {
    const [nats, writer] = [await spec.connect(), new JetStreamAgentCatalogue(await spec.connect())];
    const known = await new JetStreamAgentCatalogue(nats).watch(over.signal);
    const { config } = await (await jetstreamManager(spec.nats)).streams.info(STREAMS.agents);
    const update = (changed: object) =>
      spec.nats.request(`$JS.API.STREAM.UPDATE.${STREAMS.agents}`, JSON.stringify(changed));
    const { republish: _, ...silent } = config;
    await update(silent);
    await writer.announce(announcementOf('unheard'));
    await update(config);
    await writer.announce(announcementOf('heard'));
    await until(() => known.has('heard') && known.has('unheard'));
    await update(silent);
    await writer.announce(announcementOf('said while away'));
    await nats.reconnect();
    await until(() => known.has('said while away'));
  });
});
