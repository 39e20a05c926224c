import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, type RunRef } from '@millrace/contracts';
import { EMPTY_TAIL } from '@millrace/ports';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import type { JetStreamRunLog } from './jetstream-run-log.js';
import { JetStreamRunRequests } from './jetstream-run-requests.js';
import { JetStreamTenantFeed } from './jetstream-tenant-feed.js';
import { aRun, draftOf, SpecNats } from './spec-nats.for-spec.js';
import { STREAMS } from './topology.js';

let spec: SpecNats;
let log: JetStreamRunLog;
beforeAll(async () => {
  spec = await SpecNats.start();
  log = await spec.openLog();
});
afterAll(() => spec.stop());

const request = async (run: RunRef): Promise<number> =>
  (await log.append(run, draftOf(FACT_FIXTURES.RunRequested), EMPTY_TAIL)).tail.streamSequence;

/** All that the stream was asked for meanwhile, by direct gets and of its leader. */
const askedWhile = async (work: () => Promise<unknown>): Promise<Record<string, unknown>[]> => {
  const asked: Record<string, unknown>[] = [];
  const subscriptions = [`$JS.API.DIRECT.GET.${STREAMS.runs}`, `$JS.API.STREAM.MSG.GET.${STREAMS.runs}`].map(
    (subject) => spec.nats.subscribe(subject, { callback: (_, message) => void asked.push(message.json()) }),
  );
  await spec.nats.flush();
  await work();
  await spec.nats.flush();
  for (const subscription of subscriptions) subscription.unsubscribe();
  return asked;
};

describe('Requests whose places are known', () => {
  it('are asked for by these, and nothing is searched for', async () => {
    const { tenantId, runId } = aRun();
    const place = await request({ tenantId, runId });
    for (let at = 0; at < 20; at += 1) await request(aRun());
    const asked = await askedWhile(async () => {
      const found = await new JetStreamRunRequests(spec.nats).at(tenantId, [place]);
      expect(found).toEqual([{ runId, streamSequence: place }]);
    });
    expect(asked).toEqual([{ seq: place }]);
  });
});

describe("A tenant's feed", () => {
  const feed = () => new JetStreamTenantFeed(spec.nats, new JetStreamBlobStore(spec.nats));

  it('is searched for once for each kind, from its cursor on, and its last event is not looked for', async () => {
    const { tenantId, runId } = aRun();
    const after = (await request({ tenantId, runId })) - 1;
    const asked = await askedWhile(async () => {
      const page = await feed().page({ tenantId, kinds: ['RunRequested', 'RunFinished'] }, after, 10);
      expect(page.events).toHaveLength(1);
    });
    const searches = asked.filter((query) => 'next_by_subj' in query);
    expect(searches.map(({ seq }) => seq)).toEqual([after + 1, after + 1]);
    expect(asked.filter((query) => 'last_by_subj' in query)).toEqual([{ last_by_subj: '>' }]);
  });

  it('that stands at the end of the log is not searched at all, whoever stored the last event', async () => {
    const { tenantId } = aRun();
    const others = aRun();
    await request(others);
    const wanted = { tenantId, kinds: ['RunRequested', 'RunFinished'] } as const;
    const { upTo } = await feed().page(wanted, 0, 10);
    const asked = await askedWhile(async () => {
      expect(await feed().page(wanted, upTo, 10)).toEqual({ events: [], unreadable: [], upTo, hasMore: false });
    });
    expect(asked).toEqual([{ last_by_subj: '>' }]);
  });
});
