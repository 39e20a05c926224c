import { StoreUnavailable } from '@millrace/ports';
import { type JetStreamClient, jetstream, type StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import type { StoredMessage } from './direct-reader.js';
import type { StreamName } from './topology.js';

type Query = { last_by_subj: string } | { seq: number; next_by_subj: string };

/** Asks the stream's leader, who is never behind; a direct get is cheaper, and answered by any replica. */
export class LeaderReader {
  readonly #js: JetStreamClient;
  #isReplicated: Promise<boolean> | undefined;

  constructor(
    nats: NatsConnection,
    private readonly stream: StreamName,
  ) {
    this.#js = jetstream(nats, { timeout: 5_000 });
  }

  /** The newest message on the filter. */
  last(filter: string): Promise<StoredMessage | undefined> {
    return this.ask({ last_by_subj: filter });
  }

  /** The first message on the filter that lies at `fromSequence` or later. */
  next(filter: string, fromSequence: number): Promise<StoredMessage | undefined> {
    return this.ask({ seq: fromSequence, next_by_subj: filter });
  }

  /**
   * The place of the newest message on the filter, for a reader that must not miss it; 0 when there is none, and on a
   * stream with one copy, where no read lags.
   */
  async newestPlace(filter: string): Promise<number> {
    if (!(await this.isReplicated())) return 0;
    return (await this.last(filter))?.streamSequence ?? 0;
  }

  /** Where the stream ends; 0 when it is empty. The server looks nothing up for it, whatever the stream holds. */
  async end(): Promise<number> {
    return (await this.last('>'))?.streamSequence ?? 0;
  }

  /** How many copies there are changes with the topology, which every process compares when it starts: it is asked once. */
  isReplicated(): Promise<boolean> {
    this.#isReplicated ??= this.info().then(
      ({ config }) => config.num_replicas > 1,
      (error: unknown) => {
        this.#isReplicated = undefined; // the next reader asks again
        throw error;
      },
    );
    return this.#isReplicated;
  }

  private async ask(query: Query): Promise<StoredMessage | undefined> {
    try {
      const manager = await this.#js.jetstreamManager(false);
      const found = await manager.streams.getMessage(this.stream, query);
      if (found === null) return undefined;
      return { streamSequence: found.seq, headers: found.header, data: found.data };
    } catch (cause) {
      throw new StoreUnavailable(`The leader of stream ${this.stream} gave no answer`, { cause });
    }
  }

  private async info(): Promise<StreamInfo> {
    try {
      return await (await this.#js.jetstreamManager(false)).streams.info(this.stream);
    } catch (cause) {
      throw new StoreUnavailable(`Stream ${this.stream} does not say how many replicas it has`, { cause });
    }
  }
}
