import { type TenantId } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import {
  type FeedEvent,
  type FeedPage,
  type FeedWanted,
  type StorePlace,
  TenantFeed,
  type UnreadableEvent,
} from '@millrace/ports';
import { keyOf } from './memory-store.js';
import { countWhile, kindOf, type StoredMessage } from './memory-stream.js';
import type { ProcessParts } from './process-parts.js';
import { runEventOf, storedBy } from './stored-events.js';
import { LOOK_EVERY_MS } from './wire.js';

/** The horizon of a page is asked of the leader; a replica that is behind it is waited for. */
export class MemoryTenantFeed extends TenantFeed {
  constructor(private readonly parts: ProcessParts) {
    super();
  }

  end(tenantId: TenantId): Promise<StorePlace> {
    return this.parts.wire.ask('read', () => this.all(tenantId).at(-1)?.place ?? 0);
  }

  async page(wanted: FeedWanted, after: StorePlace, limit: number): Promise<FeedPage> {
    const horizon = await this.end(wanted.tenantId);
    if (horizon <= after) return { events: [], unreadable: [], upTo: after, hasMore: false };
    const kinds = new Set<string>(wanted.kinds);
    return this.parts.wire.look({
      what: `Feed of tenant ${wanted.tenantId}`,
      known: () => horizon,
      storedBy: (place) => storedBy(this.all(wanted.tenantId), place),
      read: () => pageOf(this.all(wanted.tenantId), kinds, { after, horizon, limit }),
    });
  }

  async listen({ tenantId, kinds }: FeedWanted, ring: () => void): Promise<() => void> {
    const { store, wire } = this.parts;
    const wanted = new Set<string>(kinds);
    const endLooks = wire.every(LOOK_EVERY_MS, ring);
    const stored = (message: StoredMessage) => {
      if (wanted.has(kindOf(message))) wire.tell(ring, 'may be lost');
    };
    const endListening = await wire.ask('read', () => store.runs.listen(stored, keyOf.runsOf(tenantId)));
    return () => {
      endLooks();
      endListening();
    };
  }

  private all(tenantId: TenantId): readonly StoredMessage[] {
    return this.parts.store.runs.of(keyOf.runsOf(tenantId));
  }
}

const pageOf = (
  all: readonly StoredMessage[],
  kinds: ReadonlySet<string>,
  { after, horizon, limit }: { readonly after: StorePlace; readonly horizon: StorePlace; readonly limit: number },
): FeedPage => {
  const wanted = all
    .slice(countWhile(all, ({ place }) => place <= after))
    .filter((message) => message.place <= horizon && kinds.has(kindOf(message)));
  const kept = wanted.slice(0, limit);
  const upTo = wanted.length > limit ? kept.at(-1)!.place : horizon;
  const read = kept.map(decoded);
  return {
    events: read.flatMap((found) => ('event' in found ? [found] : [])),
    unreadable: read.flatMap((found) => ('error' in found ? [found] : [])),
    upTo,
    hasMore: upTo < horizon,
  };
};

const decoded = (message: StoredMessage): FeedEvent | UnreadableEvent => {
  const { subject, place: streamSequence } = message;
  try {
    return { event: runEventOf(message), streamSequence };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return { subject, streamSequence, error };
  }
};
