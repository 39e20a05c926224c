import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { subjects } from '@millrace/contracts';
import { EMPTY_TAIL, type Tail } from '@millrace/ports';
import { DirectReader, type StoredMessage } from './direct-reader.js';
import { aRun, SpecNats, token } from './spec-nats.for-spec.js';
import { STREAMS } from './topology.js';

let spec: SpecNats;
let reader: DirectReader;
beforeAll(async () => {
  spec = await SpecNats.start();
  reader = new DirectReader(spec.nats, STREAMS.runs);
});
afterAll(() => spec.stop());

const sequenceOf = ({ streamSequence }: StoredMessage): number => streamSequence;

async function aHistory(texts: readonly string[]): Promise<{ filter: string; run: ReturnType<typeof aRun> }> {
  const log = await spec.openLog();
  const run = aRun();
  let tail: Tail = EMPTY_TAIL;
  for (const text of texts) ({ tail } = await log.append(run, token(text), tail));
  return { run, filter: subjects.run(run) };
}

describe('A page of stored messages', () => {
  it('is read message by message, in stored order, and says where it ended', async () => {
    const { filter } = await aHistory(['a', 'b', 'c']);
    const all = await reader.page(filter, 1, 10, sequenceOf);
    expect(all).toEqual({ items: [...all.items].sort((a, b) => a - b), lastSequence: all.items[2], atEnd: true });
    const two = await reader.page(filter, 1, 2, sequenceOf);
    expect(two).toEqual({ items: all.items.slice(0, 2), lastSequence: all.items[1], atEnd: false });
    const none = await reader.page(filter, all.items[2]! + 1, 2, sequenceOf);
    expect(none).toEqual({ items: [], lastSequence: undefined, atEnd: true });
  });

  it('fails with what its reader throws, and the pages beside and after it do not', async () => {
    const { filter } = await aHistory(['a', 'b', 'c']);
    const broken = new Error('cannot read this one');
    let seen = 0;
    const failing = reader.page(filter, 1, 10, () => {
      seen += 1;
      if (seen === 2) throw broken;
    });
    const beside = reader.page(filter, 1, 10, sequenceOf);
    await expect(failing).rejects.toBe(broken);
    expect((await beside).items).toHaveLength(3);
    expect((await reader.page(filter, 1, 10, sequenceOf)).items).toHaveLength(3);
    expect(seen).toBe(2);
  });

  it('ends before its limit when it grows large, and the log reads on behind it', async () => {
    const texts = Array.from({ length: 200 }, (_, at) => `${at}`.padEnd(50_000, '.'));
    const { filter, run } = await aHistory(texts);
    const page = await reader.page(filter, 1, 1_000, sequenceOf);
    expect(page.atEnd).toBe(false);
    expect(page.items.length).toBeLessThan(texts.length);
    const { events, hasMore } = await (await spec.openLog()).read(run);
    expect(events.map((event) => 'text' in event && event.text)).toEqual(texts);
    expect(hasMore).toBe(false);
  });
});
