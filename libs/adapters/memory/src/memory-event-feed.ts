import {
  EventFeed,
  type FeedBacklog,
  type FeedStart,
  type StoredEvent,
  type StoredPlace,
  type StorePlace,
} from '@millrace/ports';
import { PlatformError } from '@millrace/kernel';
import { Arrivals } from './arrivals.js';
import { kindOf, type StoredMessage } from './memory-stream.js';
import type { ProcessParts } from './process-parts.js';
import { eventOf } from './stored-events.js';

const BATCH = 1_000;

export class MemoryEventFeed extends EventFeed {
  constructor(private readonly parts: ProcessParts) {
    super();
  }

  async *batches({
    afterStreamSequence,
    exclude = [],
    signal,
    maxBatch = BATCH,
  }: FeedStart): AsyncGenerator<StoredEvent[]> {
    if (signal.aborted) return;
    const { store, wire } = this.parts;
    const wants = wanting(exclude);
    const arrivals = new Arrivals(wire, { stream: store.runs, wants, signal });
    try {
      for (let after: StorePlace | undefined = afterStreamSequence; after !== undefined;) {
        const from: StorePlace = after;
        const { found, upTo } = await wire.ask('read', () => this.piled(from, wants, maxBatch));
        if (signal.aborted) return;
        if (found.length > 0) yield found.map(decoded);
        after = found.length === maxBatch ? upTo : await this.changed(arrivals, upTo);
      }
    } finally {
      arrivals.close();
    }
  }

  async backlog({
    afterStreamSequence,
    exclude = [],
  }: Pick<FeedStart, 'afterStreamSequence' | 'exclude'>): Promise<FeedBacklog> {
    const { store, wire } = this.parts;
    const wants = wanting(exclude);
    return wire.ask('read', () => {
      const { found } = this.piled(afterStreamSequence, wants, store.runs.lastPlace);
      return { count: found.length, oldest: found[0] && placeOf(found[0]) };
    });
  }

  private async changed(arrivals: Arrivals, upTo: StorePlace): Promise<StorePlace | undefined> {
    return (await arrivals.behind(upTo)) === undefined ? undefined : upTo;
  }

  private piled(after: StorePlace, wants: (message: StoredMessage) => boolean, most: number) {
    const { runs } = this.parts.store;
    const found: StoredMessage[] = [];
    let upTo = after;
    while (upTo < runs.lastPlace && found.length < most) {
      upTo += 1;
      const message = runs.at(upTo);
      if (message && wants(message)) found.push(message);
    }
    return { found, upTo };
  }
}

const placeOf = ({ place, storedAtMs }: StoredMessage): StoredPlace => ({
  streamSequence: place,
  storedAt: new Date(storedAtMs).toISOString(),
});

const wanting = (exclude: readonly string[]): ((message: StoredMessage) => boolean) => {
  const excluded = new Set(exclude);
  return (message) => !excluded.has(kindOf(message));
};

const decoded = (message: StoredMessage): StoredEvent => {
  try {
    return { ...placeOf(message), event: eventOf(message) };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return { ...placeOf(message), subject: message.subject, invalid: error.message };
  }
};
