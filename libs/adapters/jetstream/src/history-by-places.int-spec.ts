import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, type RunEvent, type RunRef } from '@millrace/contracts';
import { EMPTY_TAIL, PlaceIndex, type ReadFrom, type Tail } from '@millrace/ports';
import { draftOf, aRun, SpecNats, token } from './spec-nats.for-spec.js';
import type { JetStreamRunLog } from './jetstream-run-log.js';
import { STREAMS } from './topology.js';

let spec: SpecNats;
let log: JetStreamRunLog;
beforeAll(async () => {
  spec = await SpecNats.start();
  log = await spec.openLog();
});
afterAll(() => spec.stop());

/** Messages of other runs, stored between two events of ours. */
const storeForeign = async (count: number): Promise<void> => {
  const other = aRun();
  const stored = Array.from({ length: count }, (_, at) =>
    spec.nats.request(`tenant.${other.tenantId}.run.${other.runId}.${at % 2 ? 'TokenDelta' : 'LogWritten'}`, 'foreign'),
  );
  await Promise.all(stored);
};

interface History {
  readonly run: RunRef;
  readonly events: RunEvent[];
  readonly tails: Tail[];
}

/** As many events as there are gaps; each third one is internal, so that the two counters part. */
const historyWith = async (
  gaps: readonly number[],
  behind: (tail: Tail) => Tail = (tail) => tail,
): Promise<History> => {
  const run = aRun();
  const events: RunEvent[] = [];
  const tails: Tail[] = [];
  for (const [at, gap] of gaps.entries()) {
    await storeForeign(gap);
    const draft = at % 3 === 2 ? draftOf(FACT_FIXTURES.EffectRecorded) : token(`word ${at}`);
    const appended = await log.append(run, draft, behind(tails.at(-1) ?? EMPTY_TAIL));
    events.push(appended.event);
    tails.push(appended.tail);
  }
  return { run, events, tails };
};

/** All that a filter was asked for while something was read. */
const searchesOf = async (read: () => Promise<unknown>): Promise<object[]> => {
  const asked: Record<string, unknown>[] = [];
  const subscription = spec.nats.subscribe(`$JS.API.DIRECT.GET.${STREAMS.runs}`, {
    callback: (_, message) => void asked.push(message.json()),
  });
  await spec.nats.flush();
  await read();
  await spec.nats.flush();
  subscription.unsubscribe();
  return asked.filter((query) => 'next_by_subj' in query);
};

const startsOf = ({ events, tails }: History, at: number): ReadFrom[] => [
  tails[at - 1] ?? EMPTY_TAIL,
  { position: at },
  ...('sequence' in events[at]! && events[at].sequence !== undefined ? [{ sequence: events[at].sequence }] : []),
];

const expectReadFromEverywhere = async (history: History): Promise<void> => {
  const { run, events, tails } = history;
  const fresh = await spec.openLog();
  for (let at = 0; at < events.length; at += 1 + Math.floor(at / 9)) {
    for (const from of startsOf(history, at)) {
      for (const limit of [1, 20, Infinity]) {
        const page = await fresh.read(run, from, { limit });
        expect(page.events).toEqual(events.slice(at, at + limit));
        expect(page.hasMore).toBe(at + limit < events.length);
        expect(page.tail).toMatchObject({ ...tails[at + page.events.length - 1]!, places: expect.anything() });
      }
    }
  }
};

/** Close together, far apart, and both: a run speaks, waits, and speaks again. */
const GAPS = {
  'close together': Array.from({ length: 600 }, () => 0),
  'far apart': Array.from({ length: 40 }, () => 400),
  'now close, now far': Array.from({ length: 330 }, (_, at) => (at % 37 === 0 ? 1_500 : at % 11)),
};

describe('A history is read by the places its events name', () => {
  it.each(Object.entries(GAPS))('from any event on, with any limit, when they lie %s', async (_, gaps) => {
    await expectReadFromEverywhere(await historyWith(gaps));
  });

  it('without a search when foreign events lie between its own', async () => {
    const { run, events, tails } = await historyWith(GAPS['far apart']);
    const fresh = await spec.openLog();
    const searches = await searchesOf(async () => {
      expect((await fresh.read(run)).events).toEqual(events);
      expect((await fresh.read(run, tails.at(-1))).events).toEqual([]);
      expect((await fresh.read(run, { sequence: 3 }, { limit: 1 })).events).toHaveLength(1);
      expect((await fresh.read(aRun())).events).toEqual([]);
    });
    expect(searches).toEqual([]);
  });

  it('by one search for each part whose events lie close together', async () => {
    const { run, events } = await historyWith(GAPS['close together']);
    const searches = await searchesOf(async () => expect((await log.read(run)).events).toEqual(events));
    expect(searches.length).toBeLessThan(5);
  });

  it('after a writer that slept through them, from the event behind its own tail on', async () => {
    const { run, tails } = await historyWith(GAPS['far apart']);
    const late = tails[3]!;
    const searches = await searchesOf(async () => {
      await expect(log.append(run, token('too late'), late)).rejects.toMatchObject({ code: 'RUN_LOG_CONFLICT' });
    });
    expect(searches).toEqual([]);
  });
});

describe('A history that names no places, or wrong ones, is read by its subjects', () => {
  const forgetful = ({ places: _, ...tail }: Tail): Tail => tail;

  it('when it was begun before events named any', async () => {
    const { run, events, tails } = await historyWith([3, 0, 7, 300], forgetful);
    expect(tails.at(-1)?.places).toBeUndefined();
    const fresh = await spec.openLog();
    expect((await fresh.read(run)).events).toEqual(events);
    const { event } = await fresh.append(run, token('one more'), (await fresh.read(run)).tail);
    expect((await fresh.read(run, tails[1])).events).toEqual([...events.slice(2), event]);
  });

  it.each([
    ['of another run', '1 1 1 1'],
    ['that are no numbers', 'x ? - !'],
    ['that lie behind it', '100000 1 1 1'],
  ])('when it names places %s', async (_, text) => {
    const mislead = (tail: Tail): Tail =>
      tail.position === 3 ? { ...tail, places: PlaceIndex.parse(3, text.slice(0, -2)) } : tail;
    const { run, events } = await historyWith([3, 0, 7, 300, 2], mislead);
    expect((await (await spec.openLog()).read(run)).events).toEqual(events);
  });
});
