import { beforeEach, describe, expect, it } from '@jest/globals';
import { InMemoryRunLog } from '@millrace/adapter-memory';
import { aRunId, aTenantId, EventId, FACT_FIXTURES, type RunFact } from '@millrace/contracts';
import { EMPTY_TAIL, type Tail } from '@millrace/ports';
import { RunPages } from './run-pages.js';

let made = 0;
const nextId = () => EventId.parse(`01JD${String((made += 1)).padStart(22, '0')}`);
const run = { tenantId: aTenantId, runId: aRunId };

class CountedLog extends InMemoryRunLog {
  reads = 0;
  mostAtOnce = 0;
  #atOnce = 0;
  #tail: Tail = EMPTY_TAIL;

  override async read(...asked: Parameters<InMemoryRunLog['read']>): ReturnType<InMemoryRunLog['read']> {
    this.reads += 1;
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    try {
      return await super.read(...asked);
    } finally {
      this.#atOnce -= 1;
    }
  }

  async say(...facts: RunFact[]): Promise<void> {
    for (const fact of facts) {
      const draft = { ...fact, eventId: nextId(), ts: '2026-01-12T10:00:00.000Z' };
      this.#tail = (await this.append(run, draft, this.#tail)).tail;
    }
  }
}

const { TokenDelta, EffectRecorded } = FACT_FIXTURES;
const many = (fact: RunFact, count: number): RunFact[] => Array.from({ length: count }, () => fact);

describe('The pages of a run', () => {
  let log: CountedLog;
  let pages: RunPages;
  beforeEach(async () => {
    log = new CountedLog();
    pages = new RunPages(log, { maxBytes: 10e6, maxReads: 2 });
    await log.say(...many(TokenDelta, 300), ...many(EffectRecorded, 300), ...many(TokenDelta, 400));
  });

  it('hold its public events in order, whatever lies between them', async () => {
    const first = await pages.at(run, 0);
    expect(first.entries.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 512 }, (_, at) => at));
    const second = await pages.at(run, 512);
    expect([first.isWhole, second.isWhole, second.entries[0]?.sequence, second.entries.length]).toEqual([
      true,
      false,
      512,
      188,
    ]);
    expect((await pages.at(run, 600)).entriesFrom(600)).toHaveLength(100);
    expect((await pages.at(run, 5_000)).entriesFrom(5_000)).toEqual([]);
  });

  it('are read once, for those who come together and for those who come later', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, at) => pages.at(run, at * 10)));
    const { reads } = log;
    await pages.at(run, 511);
    expect(log.reads).toBe(reads);
  });

  it('grow until they are whole, and are good for what they have before', async () => {
    expect((await pages.at(run, 600)).entries).toHaveLength(188);
    await log.say(TokenDelta, EffectRecorded, TokenDelta);
    const { reads } = log;
    expect((await pages.at(run, 699)).entriesFrom(699)).toHaveLength(1);
    expect(log.reads).toBe(reads);
    const grown = await pages.at(run, 700);
    expect(grown.entries.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 190 }, (_, at) => 512 + at));
    await log.say(...many(TokenDelta, 322));
    expect(await pages.at(run, 702)).toMatchObject({ isWhole: true, end: 1_024 });
  });

  it('give the same bytes to whoever begins anywhere, in blocks that all share but for the first', async () => {
    const page = await pages.at(run, 0);
    const whole = Buffer.concat(page.blocksFrom(0, 'native').map(({ bytes }) => bytes));
    const shared = page.blocksFrom(0, 'native');
    for (const from of [1, 100, 255, 511]) {
      const blocks = page.blocksFrom(from, 'native');
      const skipped = Buffer.concat(page.entries.slice(0, from).map((entry) => entry.bytes('native')));
      expect(Buffer.concat([skipped, ...blocks.map(({ bytes }) => bytes)]).equals(whole)).toBe(true);
      expect(blocks.at(-1)?.last).toBe(511);
      for (const block of blocks.slice(1)) expect(shared).toContain(block);
    }
  });

  it('are read so many at a time, and forgotten when they take too much memory', async () => {
    const small = new RunPages(log, { maxBytes: 1, maxReads: 2 });
    await Promise.all([0, 512, 1_024, 1_536, 2_048].map((sequence) => small.at(run, sequence)));
    expect(log.mostAtOnce).toBeLessThanOrEqual(2);
    expect(small.weight).toBe(0);
    const { reads } = log;
    await small.at(run, 0);
    expect(log.reads).toBeGreaterThan(reads);
  });
});
