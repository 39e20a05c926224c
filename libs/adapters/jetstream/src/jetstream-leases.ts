import { type HeldLease, Leases } from '@millrace/ports';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { nuid, type NatsConnection } from '@nats-io/nats-core';
import { setTimeout as pause } from 'node:timers/promises';
import { isWrongLastSequence } from './api-codes.js';
import { DirectReader } from './direct-reader.js';
import { STREAMS } from './topology.js';

const RENEW_MS = 1_000;
/** Longer than a holder that lives can be silent. */
const SILENT_MS = 4_000;
/** A holder that cannot renew steps down before anybody else may take over. */
const STEP_DOWN_MS = 3_000;

/**
 * A lease is the last message on its subject, written by compare-and-swap. Nobody's clock is compared with another's:
 * who waits measures by itself how long the message has not changed, and takes over when that is too long.
 */
export class JetStreamLeases extends Leases {
  readonly #js: JetStreamClient;
  readonly #reader: DirectReader;

  constructor(nats: NatsConnection) {
    super();
    this.#js = jetstream(nats, { timeout: RENEW_MS });
    this.#reader = new DirectReader(nats, STREAMS.coordination);
  }

  async acquire(name: string, signal: AbortSignal): Promise<HeldLease | undefined> {
    const subject = `lease.${name}`;
    let seen = -1;
    let seenAt = performance.now();
    while (!signal.aborted) {
      const last = await this.#reader.last(subject);
      const sequence = last?.streamSequence ?? 0;
      const isFree = !last || new TextDecoder().decode(last.data) === RELEASED;
      if (sequence !== seen) [seen, seenAt] = [sequence, performance.now()];
      if (isFree || performance.now() - seenAt > SILENT_MS) {
        const owner = nuid.next();
        const taken = await this.write(subject, owner, sequence);
        if (taken !== undefined) return this.hold(subject, owner, taken);
      }
      await pause(RENEW_MS / 2, undefined, { signal }).catch(() => {}); // the loop sees that it has aborted
    }
    return undefined;
  }

  private hold(subject: string, owner: string, taken: number): HeldLease {
    const lost = new AbortController();
    const stop = new AbortController();
    let sequence = taken;
    const renewing = (async () => {
      let renewedAt = performance.now();
      while (!stop.signal.aborted && !lost.signal.aborted) {
        await pause(RENEW_MS, undefined, { signal: stop.signal }).catch(() => {});
        if (stop.signal.aborted) return;
        const renewed = await this.write(subject, owner, sequence).catch(() => 0);
        if (renewed === undefined) {
          const unheard = await this.ownSince(subject, owner, sequence).catch(() => undefined);
          if (unheard === undefined) lost.abort(new Error(`${subject} was taken over`));
          else sequence = unheard; // when it was stored nobody knows: the next renewal counts
        } else if (renewed > 0) [sequence, renewedAt] = [renewed, performance.now()];
        else if (performance.now() - renewedAt > STEP_DOWN_MS) lost.abort(new Error(`${subject} could not be renewed`));
      }
    })();
    return {
      lost: lost.signal,
      release: async () => {
        stop.abort();
        await renewing;
        if (!lost.signal.aborted) await this.write(subject, RELEASED, sequence).catch(() => undefined); // it runs out
      },
    };
  }

  /** A renewal of ours that was stored although its answer was lost. */
  private async ownSince(subject: string, owner: string, known: number): Promise<number | undefined> {
    const last = await this.#reader.last(subject);
    const isOurs = last !== undefined && new TextDecoder().decode(last.data) === owner;
    return isOurs && last.streamSequence > known ? last.streamSequence : undefined;
  }

  /** The new sequence; undefined when somebody else has written, or we ourselves, unheard. */
  private async write(subject: string, owner: string, last: number): Promise<number | undefined> {
    try {
      return (await this.#js.publish(subject, owner, { expect: { lastSubjectSequence: last } })).seq;
    } catch (cause) {
      if (isWrongLastSequence(cause)) return undefined;
      throw cause;
    }
  }
}

const RELEASED = '';
