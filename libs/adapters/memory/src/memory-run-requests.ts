import { parseSubject, type TenantId } from '@millrace/contracts';
import { type RequestedRun, RunRequests, type StorePlace } from '@millrace/ports';
import { keyOf } from './memory-store.js';
import { countWhile, type StoredMessage } from './memory-stream.js';
import type { ProcessParts } from './process-parts.js';
import { storedBy, storedUntil } from './stored-events.js';

export class MemoryRunRequests extends RunRequests {
  constructor(private readonly parts: ProcessParts) {
    super();
  }

  at(tenantId: TenantId, places: readonly StorePlace[]): Promise<readonly RequestedRun[]> {
    const { runs } = this.parts.store;
    return this.parts.wire.look({
      what: `Requests of tenant ${tenantId}`,
      known: () => Math.max(0, ...places),
      storedBy: (place) => runs.at(place)?.storedAtMs,
      read: () =>
        places.flatMap((place) => {
          const message = runs.at(place);
          const about = message && parseSubject(message.subject);
          const isRequest = about?.type === 'run' && about.kind === 'RunRequested' && about.tenantId === tenantId;
          return isRequest ? [{ runId: about.runId, streamSequence: place }] : [];
        }),
    });
  }

  page(tenantId: TenantId, from: StorePlace, limit: number, atLeast: StorePlace): Promise<readonly RequestedRun[]> {
    const requests = () => this.parts.store.runs.of(keyOf.requestsOf(tenantId));
    return this.parts.wire.look({
      what: `Requests of tenant ${tenantId}`,
      known: () => atLeast,
      storedBy: (place) => storedBy(requests(), place),
      read: (untilMs) => {
        const seen = storedUntil(requests(), untilMs);
        const start = countWhile(seen, ({ place }) => place < from);
        return seen
          .slice(start)
          .flatMap((message) => requestOf(message) ?? [])
          .slice(0, limit);
      },
    });
  }
}

/** Undefined for what was written past our log and names no run. */
const requestOf = ({ subject, place }: StoredMessage): RequestedRun | undefined => {
  const about = parseSubject(subject);
  return about?.type === 'run' ? { runId: about.runId, streamSequence: place } : undefined;
};
