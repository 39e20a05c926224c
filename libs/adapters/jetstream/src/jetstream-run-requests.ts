import { parseSubject, subjects, type TenantId } from '@millrace/contracts';
import { type RequestedRun, RunRequests, type StorePlace, StoreUnavailable } from '@millrace/ports';
import type { NatsConnection } from '@nats-io/nats-core';
import { DirectReader, type MessagePage, type StoredMessage } from './direct-reader.js';
import { subjectIn } from './event-headers.js';
import { ReplicaLag } from './replica-lag.js';
import { STREAMS } from './topology.js';

/** By direct gets, from the subjects alone: what was requested is not read. */
export class JetStreamRunRequests extends RunRequests {
  readonly #reader: DirectReader;

  constructor(nats: NatsConnection) {
    super();
    this.#reader = new DirectReader(nats, STREAMS.runs);
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
      const page: MessagePage<RequestedRun> = await this.#reader.page(filter, next, limit - found.length, requestOf);
      found.push(...page.items);
      next = found.length < limit ? await lag.missingAfter(page.lastSequence) : undefined;
    }
    return found;
  }
}

const requestOf = ({ headers, streamSequence }: StoredMessage): RequestedRun => {
  const about = parseSubject(subjectIn(headers));
  if (about?.type !== 'run') throw new StoreUnavailable(`Message ${streamSequence} of ${STREAMS.runs} is no request`);
  return { runId: about.runId, streamSequence };
};
