import { DatabaseUnavailable, type SecondTables } from '@millrace/adapter-postgres';
import type { EventFeed, StoredEvent } from '@millrace/ports';
import { setTimeout as pause } from 'node:timers/promises';
import type { Projection } from '../projection.js';
import { LogTooShort, TablesInUse } from './rebuild-errors.js';

export interface RebuildOptions {
  readonly projection: Projection;
  readonly feed: EventFeed;
  readonly tables: Pick<SecondTables, 'store' | 'position' | 'analyze' | 'swap'>;
  /** Ends it, with nothing changed, while the second set is not swapped in. */
  readonly signal: AbortSignal;
  readonly onProgress?: (read: number, of: number) => void;
}

export interface Rebuilt {
  readonly events: number;
  readonly poisoned: number;
}

/** Projects the whole log into a second set of tables, then swaps it for the first, which serves until then. */
export async function rebuild({ projection, feed, tables, signal, onProgress }: RebuildOptions): Promise<Rebuilt> {
  const { name, exclude } = projection;
  const reading = new AbortController();
  const stop = AbortSignal.any([signal, reading.signal]);
  const batches = feed
    .batches({ afterStreamSequence: 0, exclude, signal: stop, maxBatch: MAX_BATCH })
    [Symbol.asyncIterator]();
  let position = await tables.store.load(name);
  let [events, poisoned] = [0, 0];

  const readOne = async (): Promise<void> => {
    const next = await batches.next();
    if (signal.aborted) throw signal.reason;
    const batch: readonly StoredEvent[] = next.done === true ? [] : next.value;
    const last = batch.at(-1);
    if (last === undefined) throw new TypeError('a feed ends when it is told to, and never gives an empty batch');
    await tables.store.commit(name, position, last.streamSequence, async (em) => {
      poisoned += (await projection.apply(em, batch)).length;
    });
    position = last.streamSequence;
    events += batch.length;
  };

  /** As far as the first set at least; what that has applied, the log has. */
  const catchUp = async (target: number): Promise<number> => {
    while (position < target) {
      const { count } = await feed.backlog({ afterStreamSequence: position, exclude });
      if (count === 0) throw new LogTooShort(position, target);
      await readOne();
    }
    return position;
  };

  try {
    const { count: all } = await feed.backlog({ afterStreamSequence: 0, exclude });
    while (events < all) {
      await readOne();
      onProgress?.(events, all);
    }
    await catchUp(await tables.position()); // so that nothing is left to do while the position is held, or little
    await tables.analyze();
    await swapped(tables, catchUp, signal);
    return { events, poisoned };
  } finally {
    reading.abort();
    await batches.return?.();
  }
}

/** Readers come first: while one uses the tables for long, it is tried again. */
async function swapped(
  tables: RebuildOptions['tables'],
  catchUp: (target: number) => Promise<number>,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + SWAP_WITHIN_MS;
  for (;;) {
    try {
      return await tables.swap(catchUp);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || signal.aborted) throw error;
      if (Date.now() > deadline) throw new TablesInUse(SWAP_WITHIN_MS, { cause: error });
      await pause(SWAP_AGAIN_MS, undefined, { signal });
    }
  }
}

/** Larger than the projector's: nobody waits for a single event here. */
const MAX_BATCH = 2_000;
const SWAP_WITHIN_MS = 120_000;
const SWAP_AGAIN_MS = 250;
