import { EventId, FACT_FIXTURES, type RunFact, RunId, type RunRef, TenantId } from '@millrace/contracts';
import type { EventDraft } from '@millrace/ports';
import { startTestNats, type TestNats, type TestNatsOptions } from '@millrace/testing/servers';
import type { NatsConnection } from '@nats-io/nats-core';
import { setTimeout as pause } from 'node:timers/promises';
import { ulid } from 'ulid';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import { JetStreamRunLog, type RunLogOptions } from './jetstream-run-log.js';
import { connectNats } from './nats-connection.js';
import type { TopologySize } from './topology.js';
import { setUpTopology } from './topology-setup.js';

/** A server of the suite's own with the streams set up, and logs on connections of their own. */
export class SpecNats {
  readonly #opened: NatsConnection[];

  private constructor(
    readonly server: TestNats,
    readonly nats: NatsConnection,
  ) {
    this.#opened = [nats];
  }

  static async start(options: TestNatsOptions & TopologySize = {}): Promise<SpecNats> {
    const { replicas, maxLogBytes = 512 * MIB, maxBlobBytes = 512 * MIB, ...server } = options;
    const started = await startTestNats(server);
    const nats = await connectNats({ url: started.url, name: 'spec' });
    await setUpTopology(nats, { maxLogBytes, maxBlobBytes, ...(replicas === undefined ? {} : { replicas }) });
    return new SpecNats(started, nats);
  }

  async connect(): Promise<NatsConnection> {
    const nats = await connectNats({ url: this.server.url, name: 'spec' });
    this.#opened.push(nats);
    return nats;
  }

  async openLog(options?: RunLogOptions): Promise<JetStreamRunLog> {
    const nats = await this.connect();
    return new JetStreamRunLog(nats, new JetStreamBlobStore(nats), options);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#opened.map((nats) => nats.close()));
    await this.server.stop();
  }
}

const MIB = 1024 ** 2;

export const aRun = (): RunRef => ({ tenantId: TenantId.parse(ulid()), runId: RunId.parse(ulid()) });

export const token = (text: string): EventDraft => draftOf({ ...FACT_FIXTURES.TokenDelta, text });

export const draftOf = (fact: RunFact): EventDraft => ({
  ...fact,
  eventId: EventId.parse(ulid()),
  ts: '2026-01-12T10:00:00.000Z',
});

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(5);
}
