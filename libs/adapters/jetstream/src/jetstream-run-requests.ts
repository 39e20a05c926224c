import { parseSubject, subjects, type TenantId } from '@millrace/contracts';
import { type RequestedRun, RunLogUnavailable, RunRequests } from '@millrace/ports';
import type { NatsConnection } from '@nats-io/nats-core';
import { DirectReader, type StoredMessage } from './direct-reader.js';
import { subjectIn } from './event-headers.js';
import { STREAMS } from './topology.js';

/** By direct gets, from the subjects alone: what was requested is not read. */
export class JetStreamRunRequests extends RunRequests {
  readonly #reader: DirectReader;

  constructor(nats: NatsConnection) {
    super();
    this.#reader = new DirectReader(nats, STREAMS.runs);
  }

  async page(tenantId: TenantId, from: number, limit: number): Promise<readonly RequestedRun[]> {
    const { items } = await this.#reader.page(subjects.everyRunOf(tenantId, 'RunRequested'), from, limit, requestOf);
    return items;
  }
}

const requestOf = ({ headers, streamSequence }: StoredMessage): RequestedRun => {
  const about = parseSubject(subjectIn(headers));
  if (about?.type !== 'run') throw new RunLogUnavailable(`Message ${streamSequence} of ${STREAMS.runs} is no request`);
  return { runId: about.runId, streamSequence };
};
