import { EventInvalid, parseSubject, type RunEvent, type RunEventKind, subjects } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import {
  type BlobStore,
  type FeedEvent,
  type FeedPage,
  type FeedWanted,
  TenantFeed,
  type UnreadableEvent,
} from '@millrace/ports';
import type { NatsConnection } from '@nats-io/nats-core';
import { DirectReader, type StoredMessage } from './direct-reader.js';
import { subjectIn } from './event-headers.js';
import { unpackEvent } from './large-payloads.js';
import { LeaderReader } from './leader-reader.js';
import { hasAnswered } from './live-events.js';
import { ReplicaLag } from './replica-lag.js';
import { STREAMS } from './topology.js';

export interface TenantFeedOptions {
  /** Direct gets go over it. */
  readonly replay?: NatsConnection;
  /** How often to look although nothing rang. */
  readonly lookEveryMs?: number;
}

/** With more kinds than this, one read of everything costs less than one for each. */
const MOST_FILTERS = 8;

/**
 * Direct gets by subject, one filter for each kind, merged. Live messages only ring: they may be lost. A filter makes
 * the server walk through what lies behind the cursor; at the end of a feed that is what was stored since the last look.
 *
 * I1  Nothing behind the horizon is given out: it is read before the filters are, so what a filter gives up to it is
 *     all there is. Without it an event of one kind could be stored after that kind was read, and before an event of
 *     another kind that is given out: a cursor would jump over it.
 * I2  The horizon comes from the leader. On a stream with copies a filter that seems to end before it is asked for of
 *     the leader too: a replica that lags would leave something out.
 * I3  The horizon is the end of the log, not that of the tenant's part, and cursors move on to it: to find the tenant's
 *     last event the server looks at each subject the tenant ever had (20,000 runs: 40 ms), and a cursor that stays behind
 *     makes each look walk through all that others have stored since.
 */
export class JetStreamTenantFeed extends TenantFeed {
  readonly #reader: DirectReader;
  readonly #leader: LeaderReader;

  constructor(
    private readonly nats: NatsConnection,
    private readonly blobs: BlobStore,
    private readonly options: TenantFeedOptions = {},
  ) {
    super();
    this.#reader = new DirectReader(options.replay ?? nats, STREAMS.runs);
    this.#leader = new LeaderReader(nats, STREAMS.runs);
  }

  end(): Promise<number> {
    return this.#leader.end(); // I3
  }

  async page(wanted: FeedWanted, after: number, limit: number): Promise<FeedPage> {
    const horizon = await this.end(); // I1
    if (horizon <= after) return { events: [], unreadable: [], upTo: after, hasMore: false };
    const reads = await Promise.all(
      filteredKinds(wanted).map((kind) => this.read(subjects.everyRunOf(wanted.tenantId, kind), after, horizon, limit)),
    );
    const found = reads.flatMap(({ messages }) => messages).sort((a, b) => a.streamSequence - b.streamSequence);
    const kept = found.slice(0, limit);
    // Where a read ended at its limit nothing is known behind it.
    const known = Math.min(horizon, ...reads.map(({ upTo }) => upTo));
    const upTo = found.length > limit ? Math.min(known, kept.at(-1)!.streamSequence) : known;
    const decoded = await Promise.all(
      kept.filter(({ streamSequence }) => streamSequence <= upTo).map((message) => this.decode(message)),
    );
    const events = decoded.flatMap((found) => ('event' in found ? [found] : []));
    return {
      events: events.filter(({ event }) => wanted.kinds.includes(event.kind)),
      unreadable: decoded.flatMap((found) => ('error' in found ? [found] : [])),
      upTo,
      hasMore: upTo < horizon,
    };
  }

  async listen(wanted: FeedWanted, ring: () => void): Promise<() => void> {
    const { tenantId } = wanted;
    const subscriptions = filteredKinds(wanted).map((kind) =>
      this.nats.subscribe(subjects.liveOf(tenantId, kind), { callback: () => ring() }),
    );
    const timer = setInterval(ring, this.options.lookEveryMs ?? 5_000).unref();
    const stop = () => {
      clearInterval(timer);
      for (const subscription of subscriptions) subscription.unsubscribe();
    };
    try {
      await hasAnswered(this.nats); // the server has the subscriptions once it answers
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  private async read(filter: string, after: number, horizon: number, limit: number): Promise<Found> {
    const lag = new ReplicaLag(filter, 0, after);
    for (;;) {
      const page = await this.#reader.page(filter, after + 1, limit, (message) => message);
      const { items: messages, lastSequence = after, atEnd } = page;
      const inside = messages.filter(({ streamSequence }) => streamSequence <= horizon);
      if (!atEnd) return { messages: inside, upTo: Math.min(lastSequence, horizon) };
      const isAll = lastSequence >= horizon || !(await this.#leader.isReplicated());
      if (isAll) return { messages: inside, upTo: horizon };
      const next = (await this.#leader.next(filter, lastSequence + 1))?.streamSequence; // I2
      if (next === undefined || next > horizon) return { messages: inside, upTo: horizon };
      lag.expect(next);
      await lag.missingAfter(lastSequence);
    }
  }

  private async decode(message: StoredMessage): Promise<FeedEvent | UnreadableEvent> {
    const { headers, streamSequence } = message;
    const subject = subjectIn(headers);
    try {
      return { event: await this.eventIn(subject, message), streamSequence };
    } catch (error) {
      if (!(error instanceof PlatformError) || error.redelivery === 'retry') throw error;
      return { subject, streamSequence, error };
    }
  }

  private async eventIn(subject: string, message: StoredMessage): Promise<RunEvent> {
    const about = parseSubject(subject);
    if (about?.type !== 'run') throw new EventInvalid(`${subject} is the subject of no event of a run`);
    return unpackEvent(message, about, this.blobs);
  }
}

interface Found {
  readonly messages: readonly StoredMessage[];
  /** All on this filter up to here was found. */
  readonly upTo: number;
}

const filteredKinds = ({ kinds }: FeedWanted): readonly (RunEventKind | '*')[] =>
  kinds.length > MOST_FILTERS ? ['*'] : kinds;
