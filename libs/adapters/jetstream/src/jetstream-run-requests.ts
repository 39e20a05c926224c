import { parseSubject, subjects, type TenantId } from '@millrace/contracts';
import { type RequestedRun, RunRequests, type StorePlace } from '@millrace/ports';
import type { NatsConnection } from '@nats-io/nats-core';
import { DirectReader, type MessagePage, type StoredMessage } from './direct-reader.js';
import { subjectIn } from './event-headers.js';
import { atKnownPlace } from './known-place.js';
import { ReplicaLag } from './replica-lag.js';
import { STREAMS } from './topology.js';

/** By direct gets, from the subjects alone: what was requested is not parsed. */
export class JetStreamRunRequests extends RunRequests {
  readonly #reader: DirectReader;

  constructor(nats: NatsConnection) {
    super();
    this.#reader = new DirectReader(nats, STREAMS.runs);
  }

  async at(tenantId: TenantId, places: readonly StorePlace[]): Promise<readonly RequestedRun[]> {
    const found = await Promise.all(places.map((place) => this.requestAt(tenantId, place)));
    return found.flatMap((request) => request ?? []);
  }

  async page(
    tenantId: TenantId,
    from: StorePlace,
    limit: number,
    atLeast: StorePlace,
  ): Promise<readonly RequestedRun[]> {
    const filter = subjects.everyRunOf(tenantId, 'RunRequested');
    const lag = new ReplicaLag(`Requests of tenant ${tenantId}`, atLeast, from - 1);
    const found: RequestedRun[] = [];
    for (let next: number | undefined = from; next !== undefined;) {
      const { items, atEnd, lastSequence }: Page = await this.#reader.page(
        filter,
        next,
        limit - found.length,
        requestOf,
      );
      found.push(...items.flatMap((item) => item ?? []));
      const isShort = !atEnd && lastSequence !== undefined && found.length < limit;
      if (isShort) next = lastSequence + 1;
      else next = found.length < limit ? await lag.missingAfter(lastSequence) : undefined;
    }
    return found;
  }

  private async requestAt(tenantId: TenantId, place: StorePlace): Promise<RequestedRun | undefined> {
    const { headers } = await atKnownPlace(this.#reader, place, `Requests of tenant ${tenantId}`);
    const about = parseSubject(subjectIn(headers));
    const isRequest = about?.type === 'run' && about.kind === 'RunRequested' && about.tenantId === tenantId;
    return isRequest ? { runId: about.runId, streamSequence: place } : undefined;
  }
}

type Page = MessagePage<RequestedRun | undefined>;

/** Undefined for what was written past our log and names no run. */
const requestOf = ({ headers, streamSequence }: StoredMessage): RequestedRun | undefined => {
  const about = parseSubject(subjectIn(headers));
  return about?.type === 'run' ? { runId: about.runId, streamSequence } : undefined;
};
