import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunEvent, type RunRef, subjects } from '@millrace/contracts';
import { EMPTY_TAIL, type Tail } from '@millrace/ports';
import { jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamRunLog } from './jetstream-run-log.js';
import { aRun, SpecNats, token, until } from './spec-nats.for-spec.js';
import { STREAMS } from './topology.js';

let spec: SpecNats;
beforeAll(async () => {
  spec = await SpecNats.start();
});
afterAll(() => spec.stop());

describe('A follower', () => {
  it('reads again what was lost on the way, by the gap it leaves', async () => {
    const run = aRun();
    const log = await spec.openLog({ lookEveryMs: 3_600_000 });
    const writer = await spec.openLog();
    const seen = follow(log, run);
    let { tail } = await log.append(run, token('0'), EMPTY_TAIL);
    await until(() => seen.events.length === 1);
    await losing(run, async () => {
      for (const text of ['1', '2', '3']) ({ tail } = await writer.append(run, token(text), tail));
    });
    ({ tail } = await log.append(run, token('4'), tail));
    await until(() => seen.events.length === 5);
    await seen.stop();
    expect(seen.events).toEqual((await log.read(run)).events);
  });

  it('finds out by itself when the very last event was lost', async () => {
    const run = aRun();
    const log = await spec.openLog({ lookEveryMs: 50 });
    const writer = await spec.openLog();
    const seen = follow(log, run);
    const { tail } = await log.append(run, token('0'), EMPTY_TAIL);
    await until(() => seen.events.length === 1);
    await losing(run, async () => void (await writer.append(run, token('last'), tail)));
    await until(() => seen.events.length === 2);
    await seen.stop();
  });

  it('that reads slowly misses nothing and holds only so much', async () => {
    const run = aRun();
    const log = await spec.openLog({ maxWaiting: 10, lookEveryMs: 50 });
    let tail: Tail = EMPTY_TAIL;
    ({ tail } = await log.append(run, token('0'), tail));
    const slow = log.follow(run);
    await slow.next();
    for (let at = 1; at < 60; at += 1) ({ tail } = await log.append(run, token(String(at)), tail));
    const positions = [0];
    while (positions.length < 60) positions.push(((await slow.next()).value as RunEvent).position);
    await slow.return?.();
    expect(positions).toEqual(Array.from({ length: 60 }, (_, position) => position));
  });

  it('that joins is given a page, and behind it everything once, whatever is stored meanwhile', async () => {
    const run = aRun();
    const log = await spec.openLog();
    const writer = await spec.openLog();
    let tail: Tail = EMPTY_TAIL;
    const write = async (from: number, to: number) => {
      for (let at = from; at < to; at += 1) ({ tail } = await writer.append(run, token(String(at)), tail));
    };
    await write(0, 20);
    const writing = write(20, 60);
    for (const [sequence, limit] of [
      [0, 1_000],
      [7, 5],
      [19, 1_000],
    ] as const) {
      const { page, follow: behind, leave } = await log.join(run, { sequence }, { limit });
      await writing;
      const positions = page.events.map(({ position }) => position);
      if (positions.at(-1) === 59) leave();
      else {
        for await (const { position } of behind()) {
          positions.push(position);
          if (position === 59) break;
        }
      }
      expect(positions).toEqual(Array.from({ length: 60 - sequence }, (_, at) => sequence + at));
    }
  });

  it('that joins hears what is stored right behind its page, although it never looks again', async () => {
    const run = aRun();
    const log = await spec.openLog({ lookEveryMs: 3_600_000 });
    const writer = await spec.openLog();
    const { tail } = await writer.append(run, token('0'), EMPTY_TAIL);
    const read = log.read.bind(log);
    log.read = async (...asked) => {
      const page = await read(...asked);
      log.read = read;
      await writer.append(run, token('1'), tail);
      return page;
    };
    const { page, follow: behind } = await log.join(run, { sequence: 0 }, { limit: 10 });
    expect(page.events.map(({ position }) => position)).toEqual([0]);
    for await (const { position } of behind()) {
      expect(position).toBe(1);
      break;
    }
  });

  function follow(log: JetStreamRunLog, run: RunRef) {
    const abort = new AbortController();
    const events: RunEvent[] = [];
    const reading = (async () => {
      for await (const event of log.follow(run, EMPTY_TAIL, abort.signal)) events.push(event);
    })();
    return { events, stop: () => (abort.abort(), reading) };
  }

  /** Takes the stream's republishing away meanwhile: what is stored then reaches no live subscriber. */
  async function losing(run: RunRef, work: () => Promise<void>): Promise<void> {
    const heard: string[] = [];
    const ear = spec.nats.subscribe(subjects.live(run), { callback: (_, message) => void heard.push(message.subject) });
    const { config } = await (await jetstreamManager(spec.nats)).streams.info(STREAMS.runs);
    const { republish, ...silent } = config;
    const update = (changed: object) =>
      spec.nats.request(`$JS.API.STREAM.UPDATE.${STREAMS.runs}`, JSON.stringify(changed));
    await update(silent);
    await work();
    await update({ ...silent, republish });
    await spec.nats.flush();
    ear.unsubscribe();
    expect(heard).toEqual([]);
  }
});
