import { AgentAnnouncement, LIVE_PREFIX, subjects, WorkerPresence } from '@millrace/contracts';
import { type CatalogueEntry, type CatalogueNotes, KnownAgents, StoreUnavailable } from '@millrace/ports';
import type { MsgHdrs, NatsConnection } from '@nats-io/nats-core';
import type { DirectReader } from './direct-reader.js';
import { sinceIn, streamSequenceIn, subjectIn } from './event-headers.js';
import { LeaderReader } from './leader-reader.js';
import { ReplicaLag } from './replica-lag.js';
import { STREAMS } from './topology.js';

const LOOK_EVERY_MS = 10_000;
const PAGE = 1_000;
const WORKER_PREFIX = 'agent.worker.';

interface CatalogueMessage {
  readonly subject: string;
  readonly place: number;
  readonly headers: MsgHdrs | undefined;
  readonly data: Uint8Array;
}

/**
 * Keeps one process's idea of the catalogue up to date.
 *
 * I1  Every stored message is republished, and listened to before the stream is read: nothing falls between the two.
 * I2  Republished messages may be lost. A number that is missed, a connection that was away, and the passing of time each
 *     lead to another look at the stream, behind what was read. A message that comes twice changes nothing (KnownAgents).
 */
export class CatalogueWatch {
  readonly #leader: LeaderReader;
  readonly #known: KnownAgents;
  #readThrough = 0;
  #isMissing = false;
  #looking: Promise<void> | undefined;

  constructor(
    private readonly nats: NatsConnection,
    private readonly reader: DirectReader,
    private readonly notes: CatalogueNotes,
    nowMs: () => number,
  ) {
    this.#known = new KnownAgents({ nowMs, refresh: () => this.refresh() });
    this.#leader = new LeaderReader(nats, STREAMS.agents);
  }

  async start(signal: AbortSignal): Promise<KnownAgents> {
    const live = this.nats.subscribe(subjects.liveAgentMessages(), {
      callback: (error, { subject, headers, data }) => {
        if (!error)
          this.heard({
            subject: subject.slice(LIVE_PREFIX.length + 1),
            headers,
            data,
            place: streamSequenceIn(headers),
          });
      },
    });
    const looking = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
    const stop = () => {
      live.unsubscribe();
      clearInterval(looking);
    };
    signal.addEventListener('abort', stop);
    try {
      await this.nats.flush(); // I1
      await this.refresh();
    } catch (error) {
      stop();
      throw error;
    }
    void this.watchReconnects(signal);
    return this.#known;
  }

  private async refresh(): Promise<void> {
    const newest = await this.#leader.newestPlace(subjects.everyAgentMessage());
    const lag = new ReplicaLag('The catalogue', newest, this.#readThrough);
    let from: number | undefined = this.#readThrough + 1;
    while (from !== undefined) {
      const { lastSequence, atEnd } = await this.readPage(from);
      from = atEnd ? await lag.missingAfter(lastSequence) : (lastSequence ?? from) + 1;
    }
  }

  private async readPage(from: number) {
    const page = await this.reader.page(subjects.everyAgentMessage(), from, PAGE, ({ streamSequence, headers, data }) =>
      this.take({ subject: subjectIn(headers), place: streamSequence, headers, data }),
    );
    this.#readThrough = Math.max(this.#readThrough, page.lastSequence ?? 0);
    return page;
  }

  private heard(message: CatalogueMessage): void {
    this.take(message);
    if (message.place === this.#readThrough + 1) this.#readThrough = message.place;
    else if (message.place > this.#readThrough) this.look(); // I2
  }

  /** One at a time, and once more when something was missed meanwhile. */
  private look(): void {
    this.#isMissing = true;
    this.#looking ??= this.lookUntilAllIsThere().finally(() => (this.#looking = undefined));
  }

  private async lookUntilAllIsThere(): Promise<void> {
    while (this.#isMissing) {
      this.#isMissing = false;
      try {
        await this.refresh();
      } catch (error) {
        if (error instanceof StoreUnavailable) return; // what is known stays, and the next look is soon
        throw error;
      }
    }
  }

  private take(message: CatalogueMessage): void {
    try {
      this.#known.evolve(entryOf(message));
    } catch (error) {
      this.notes.unreadable(message.subject, error);
    }
  }

  private async watchReconnects(signal: AbortSignal): Promise<void> {
    for await (const { type } of this.nats.status()) {
      if (signal.aborted) return;
      if (type === 'reconnect') this.look();
    }
  }
}

const entryOf = ({ subject, place, headers, data }: CatalogueMessage): CatalogueEntry => {
  if (!subject.startsWith(WORKER_PREFIX)) {
    return {
      kind: 'announced',
      announcement: AgentAnnouncement.parse(jsonIn(data)),
      since: sinceIn(headers) ?? place,
      place,
    };
  }
  if (data.byteLength === 0) return { kind: 'withdrawn', workerId: subject.slice(WORKER_PREFIX.length), place };
  return { kind: 'present', presence: WorkerPresence.parse(jsonIn(data)), place };
};

const jsonIn = (data: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(data));
