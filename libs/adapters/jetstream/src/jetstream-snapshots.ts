import { Snapshots } from '@millrace/ports';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { DirectReader } from './direct-reader.js';
import { STREAMS } from './topology.js';

const compress = promisify(gzip);
const expand = promisify(gunzip);

/** The last message on the snapshot's subject, compressed. One too large for a message is not saved: more is read then. */
export class JetStreamSnapshots extends Snapshots {
  readonly #js: JetStreamClient;
  readonly #reader: DirectReader;

  constructor(private readonly nats: NatsConnection) {
    super();
    this.#js = jetstream(nats);
    this.#reader = new DirectReader(nats, STREAMS.coordination);
  }

  async load(name: string): Promise<unknown> {
    const last = await this.#reader.last(`snapshot.${name}`);
    return last && (JSON.parse((await expand(last.data)).toString('utf8')) as unknown);
  }

  async save(name: string, value: unknown): Promise<void> {
    const bytes = await compress(JSON.stringify(value));
    if (bytes.byteLength > (this.nats.info?.max_payload ?? 0)) return;
    await this.#js.publish(`snapshot.${name}`, bytes);
  }
}
