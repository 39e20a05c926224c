import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventFixture, FACT_FIXTURES, type RunEvent, type RunRef, subjects } from '@millrace/contracts';
import { EMPTY_TAIL, type Tail } from '@millrace/ports';
import { headers } from '@nats-io/nats-core';
import type { JetStreamRunLog } from './jetstream-run-log.js';
import { aRun, draftOf, SpecNats, token } from './spec-nats.for-spec.js';

describe('The text an event is stored as', () => {
  let spec: SpecNats;
  let log: JetStreamRunLog;
  beforeAll(async () => {
    spec = await SpecNats.start();
    log = await spec.openLog({ keepsTexts: true });
  });
  afterAll(() => spec.stop());

  const storedAt = async (place: number): Promise<string> => {
    const { message } = (await spec.nats.request('$JS.API.STREAM.MSG.GET.RUNS', JSON.stringify({ seq: place }))).json<{
      message: { data: string };
    }>();
    return Buffer.from(message.data, 'base64').toString();
  };

  async function say(run: RunRef, ...texts: string[]): Promise<Tail[]> {
    const tails: Tail[] = [];
    for (const text of texts) tails.push((await log.append(run, token(text), tails.at(-1) ?? EMPTY_TAIL)).tail);
    return tails;
  }

  it('is known of events that were read', async () => {
    const run = aRun();
    const tails = await say(run, 'one', 'two', 'naïve ✓');
    const { events } = await log.read(run);
    for (const [at, event] of events.entries()) {
      expect(log.textOf(event)).toBe(await storedAt(tails[at]!.streamSequence));
    }
    expect(events).toHaveLength(3);
  });

  it('is known of events that are heard live', async () => {
    const run = aRun();
    const [first] = await say(run, 'one');
    const { follow } = await log.join(run, { sequence: 0 }, { limit: 10 });
    const heard: RunEvent[] = [];
    const { tail } = await log.append(run, token('two'), first!);
    for await (const event of follow()) {
      heard.push(event);
      break;
    }
    expect(log.textOf(heard[0]!)).toBe(await storedAt(tail.streamSequence));
  });

  it('is not known of an event that is stored in parts, nor of one that no append of ours wrote', async () => {
    const large = aRun();
    await log.append(large, draftOf({ ...FACT_FIXTURES.RunRequested, input: 'x'.repeat(100_000) }), EMPTY_TAIL);
    const strange = aRun();
    const event = { ...eventFixture('RunRequested'), ...strange };
    await spec.nats.request(subjects.event(event), JSON.stringify(event));
    for (const run of [large, strange]) {
      const { events } = await log.read(run);
      expect(events).toHaveLength(1);
      expect(log.textOf(events[0]!)).toBeUndefined();
    }
  });

  it('is not kept unless the process wants it', async () => {
    const run = aRun();
    await say(run, 'one');
    const other = await spec.openLog();
    const { events } = await other.read(run);
    expect(other.textOf(events[0]!)).toBeUndefined();
  });

  it('does not stand for what was put into the log with the headers of another event', async () => {
    const run = aRun();
    const [tail] = await say(run, 'one');
    const stored = JSON.parse(await storedAt(tail!.streamSequence)) as object;
    const claimed = headers();
    claimed.set('Millrace-Position', '1');
    claimed.set('Millrace-Sequence', '1');
    await spec.nats.request(subjects.event({ ...run, kind: 'TokenDelta' }), JSON.stringify(stored), {
      headers: claimed,
      timeout: 5_000,
    });
    await expect(log.read(run)).rejects.toMatchObject({ code: 'EVENT_INVALID' });
  });
});
