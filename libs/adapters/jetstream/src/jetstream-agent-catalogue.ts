import { AgentAnnouncement, subjects, type WorkerId, WorkerPresence } from '@millrace/contracts';
import {
  AgentCatalogue,
  type CatalogueNotes,
  type KnownAgents,
  PRESENT_FOR_MS,
  StoreUnavailable,
} from '@millrace/ports';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/nats-core';
import { isDeepStrictEqual } from 'node:util';
import { isWrongLastSequence } from './api-codes.js';
import { CatalogueWatch } from './catalogue-watch.js';
import { DirectReader } from './direct-reader.js';
import { ANNOUNCED_SINCE, sinceIn } from './event-headers.js';
import { STREAMS } from './topology.js';

/** The server forgets a worker by itself, a little after every reader has. */
const PRESENCE_TTL = `${PRESENT_FOR_MS / 1_000 + 1}s`;

export interface CatalogueOptions {
  /** Tells how long a worker has been silent; any clock that only goes on will do. */
  readonly nowMs?: () => number;
  readonly answerWithinMs?: number;
}

/**
 * The stream AGENTS: the last message of each version is its announcement and stays; the last of each worker says that it
 * lives and goes away by itself. A worker that says good-bye stores an empty one.
 */
export class JetStreamAgentCatalogue extends AgentCatalogue {
  readonly #js: JetStreamClient;
  readonly #reader: DirectReader;

  readonly #nowMs: () => number;

  constructor(
    private readonly nats: NatsConnection,
    { nowMs = () => performance.now(), answerWithinMs = 5_000 }: CatalogueOptions = {},
  ) {
    super();
    this.#nowMs = nowMs;
    this.#js = jetstream(nats, { timeout: answerWithinMs });
    this.#reader = new DirectReader(nats, STREAMS.agents);
  }

  async announce(announcement: AgentAnnouncement): Promise<void> {
    const subject = subjects.agentVersion(announcement.id, announcement.version);
    for (;;) {
      const last = await this.#reader.last(subject);
      if (last && isAnnouncedBy(announcement, last.data)) return;
      const built = headers();
      if (last) built.set(ANNOUNCED_SINCE, String(sinceIn(last.headers) ?? last.streamSequence));
      const expect = { lastSubjectSequence: last?.streamSequence ?? 0 };
      const isStored = await this.store(subject, JSON.stringify(announcement), { headers: built, expect });
      if (isStored) return; // else another worker was first, most probably with the same words
    }
  }

  async present(presence: WorkerPresence): Promise<void> {
    await this.store(subjects.agentWorker(presence.workerId), JSON.stringify(presence), { ttl: PRESENCE_TTL });
  }

  async withdraw(workerId: WorkerId): Promise<void> {
    await this.store(subjects.agentWorker(workerId), '', { ttl: PRESENCE_TTL });
  }

  watch(signal: AbortSignal, notes: CatalogueNotes = { unreadable: () => {} }): Promise<KnownAgents> {
    return new CatalogueWatch(this.nats, this.#reader, notes, this.#nowMs).start(signal);
  }

  /** False when somebody else has written. */
  private async store(
    subject: string,
    body: string,
    options: Parameters<JetStreamClient['publish']>[2],
  ): Promise<boolean> {
    try {
      await this.#js.publish(subject, body, options);
      return true;
    } catch (cause) {
      if (isWrongLastSequence(cause)) return false;
      throw new StoreUnavailable(`Stream ${STREAMS.agents} did not take ${subject} (${String(cause)})`, { cause });
    }
  }
}

/** Whoever says it. One that cannot be read is announced anew. */
const isAnnouncedBy = (announcement: AgentAnnouncement, stored: Uint8Array): boolean => {
  const said = announcedIn(stored);
  return (
    said !== undefined && isDeepStrictEqual({ ...said, announcedBy: announcement.announcedBy }, plain(announcement))
  );
};

const plain = (announcement: AgentAnnouncement): unknown => JSON.parse(JSON.stringify(announcement));

const announcedIn = (stored: Uint8Array): AgentAnnouncement | undefined => {
  try {
    return AgentAnnouncement.parse(JSON.parse(new TextDecoder().decode(stored)));
  } catch {
    return undefined; // readers of the catalogue are told; a worker replaces it
  }
};
