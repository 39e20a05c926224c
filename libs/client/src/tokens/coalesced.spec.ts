import { describe, expect, it, jest } from '@jest/globals';
import { all, eventAt, token } from '../events.for-spec.js';
import type { PublicEvent } from '@millrace/contracts';
import { coalesced } from './coalesced.js';
import { isTokenDelta } from './token-deltas.js';

const said = (events: readonly PublicEvent[]) => events.map((event) => (isTokenDelta(event) ? event.text : event.kind));

/** Gives each event once the spec says so. */
class Script {
  readonly signals: AbortSignal[] = [];
  #waiting: ((event: PublicEvent | Error | undefined) => void) | undefined;

  async *open(this: Script, signal: AbortSignal): AsyncGenerator<PublicEvent> {
    this.signals.push(signal);
    for (;;) {
      const next = await new Promise<PublicEvent | Error | undefined>((resolve) => {
        this.#waiting = resolve;
        signal.addEventListener('abort', () => resolve(undefined));
      });
      if (next === undefined) return;
      if (next instanceof Error) throw next;
      yield next;
    }
  }

  async give(...events: (PublicEvent | Error | undefined)[]): Promise<void> {
    for (const event of events) {
      this.#waiting?.(event);
      await jest.advanceTimersByTimeAsync(0);
    }
  }
}

describe('coalesced', () => {
  const begin = (everyMs = 75) => {
    jest.useFakeTimers();
    const script = new Script();
    const taken: PublicEvent[] = [];
    const reading = (async () => {
      for await (const event of coalesced((signal) => script.open(signal), { everyMs })) taken.push(event);
    })();
    return { script, taken, reading };
  };

  it('holds deltas back for the time said, counted from the first', async () => {
    const { script, taken, reading } = begin();
    await script.give(token(0, 'a'));
    await jest.advanceTimersByTimeAsync(40);
    await script.give(token(1, 'b'));
    await jest.advanceTimersByTimeAsync(34);
    expect(said(taken)).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(said(taken)).toEqual(['ab']);
    await script.give(token(2, 'c'));
    await jest.advanceTimersByTimeAsync(75);
    expect(said(taken)).toEqual(['ab', 'c']);
    await script.give(undefined);
    await reading;
  });

  it('lets them out at once before any other event, in order', async () => {
    const { script, taken, reading } = begin();
    await script.give(token(0, 'a'), token(1, 'b'), eventAt(2, 'LogWritten'));
    expect(said(taken)).toEqual(['ab', 'LogWritten']);
    await script.give(token(3, 'c'), token(4, 'd', { attempt: 2 }));
    expect(said(taken)).toEqual(['ab', 'LogWritten', 'c']);
    await script.give(undefined);
    await reading;
    expect(said(taken)).toEqual(['ab', 'LogWritten', 'c', 'd']);
  });

  it('gives each speech its whole time', async () => {
    const { script, taken, reading } = begin();
    await script.give(token(0, 'a'));
    await jest.advanceTimersByTimeAsync(70);
    await script.give(token(1, 'b', { attempt: 2 }));
    await jest.advanceTimersByTimeAsync(70);
    expect(said(taken)).toEqual(['a']);
    await jest.advanceTimersByTimeAsync(5);
    expect(said(taken)).toEqual(['a', 'b']);
    await script.give(undefined);
    await reading;
  });

  it('gives out what it holds before it throws what its source threw', async () => {
    const { script, taken, reading } = begin();
    const failed = expect(reading).rejects.toThrow('gone');
    await script.give(token(0, 'a'), new Error('gone'));
    await failed;
    expect(said(taken)).toEqual(['a']);
  });

  it('throws also what its source threw while a reader held it up', async () => {
    jest.useFakeTimers();
    const script = new Script();
    const events = coalesced((signal) => script.open(signal), { everyMs: 50 });
    const first = events.next();
    await script.give(token(0, 'a'));
    await jest.advanceTimersByTimeAsync(50);
    expect((await first).value).toMatchObject({ text: 'a' });
    await script.give(new Error('gone'));
    await expect(events.next()).rejects.toThrow('gone');
  });

  it('stops its source when it is left while it waits for it', async () => {
    jest.useFakeTimers();
    const script = new Script();
    const events = coalesced((signal) => script.open(signal), { everyMs: 50 });
    const first = events.next();
    await script.give(token(0, 'a'));
    await jest.advanceTimersByTimeAsync(50);
    await first;
    await events.return(undefined);
    expect(script.signals).toEqual([expect.objectContaining({ aborted: true })]);
  });

  it('says all that a source says that never pauses', async () => {
    jest.useRealTimers();
    async function* source(): AsyncGenerator<PublicEvent> {
      for (let at = 0; at < 1_000; at += 1) yield token(at, `${at},`);
    }
    const events = await all(coalesced(source));
    expect(said(events).join('')).toBe(Array.from({ length: 1_000 }, (_, at) => `${at},`).join(''));
  });
});
