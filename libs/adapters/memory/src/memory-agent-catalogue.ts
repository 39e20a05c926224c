import { AgentAnnouncement, subjects, type WorkerId, WorkerPresence } from '@millrace/contracts';
import { AgentCatalogue, type CatalogueEntry, KnownAgents, PRESENT_FOR_MS } from '@millrace/ports';
import { isDeepStrictEqual } from 'node:util';
import type { StoredMessage } from './memory-stream.js';
import type { ProcessParts } from './process-parts.js';

/** What is kept of a message beside its text. */
type Said =
  { readonly kind: 'announced'; readonly since: number | undefined } | { readonly kind: 'present' | 'withdrawn' };

/** The last word on each version and of each worker. */
export class MemoryAgentCatalogue extends AgentCatalogue {
  constructor(private readonly parts: ProcessParts) {
    super();
  }

  async announce(announcement: AgentAnnouncement): Promise<void> {
    const subject = subjects.agentVersion(announcement.id, announcement.version);
    const data = JSON.stringify(announcement);
    await this.parts.wire.ask('write', () => {
      const last = this.lastOn(subject);
      if (last && isSame(last, announcement)) return;
      this.store(subject, data, { kind: 'announced', since: last && sinceOf(last) });
    });
  }

  async present(presence: WorkerPresence): Promise<void> {
    const data = JSON.stringify(presence);
    await this.parts.wire.ask('write', () =>
      this.store(subjects.agentWorker(presence.workerId), data, { kind: 'present' }),
    );
  }

  async withdraw(workerId: WorkerId): Promise<void> {
    await this.parts.wire.ask('write', () =>
      this.store(subjects.agentWorker(workerId), workerId, { kind: 'withdrawn' }),
    );
  }

  async watch(signal: AbortSignal): Promise<KnownAgents> {
    const { store, wire } = this.parts;
    const known: KnownAgents = new KnownAgents({ nowMs: () => wire.time.nowMs(), refresh: () => this.readAll(known) });
    const stop = store.agents.listen((message) => wire.tell(() => known.evolve(entryOf(message)), 'may be lost'));
    signal.addEventListener('abort', stop);
    await known.refresh();
    return known;
  }

  private async readAll(known: KnownAgents): Promise<void> {
    const { store, wire } = this.parts;
    const messages = await wire.ask('read', () =>
      store.agents.messages.filter((message) => !this.isForgotten(message)),
    );
    for (const message of messages) known.evolve(entryOf(message));
  }

  /** Only the last message on a subject is kept. */
  private store(subject: string, data: string, headers: Said): void {
    const last = this.lastOn(subject);
    this.parts.store.agents.store({ subject, data, headers });
    if (last) this.parts.store.agents.remove(last.place);
  }

  private lastOn(subject: string): StoredMessage | undefined {
    return this.parts.store.agents.of(subject).at(-1);
  }

  private isForgotten(message: StoredMessage): boolean {
    return saidIn(message).kind === 'present' && this.parts.wire.time.nowMs() - message.storedAtMs >= PRESENT_FOR_MS;
  }
}

const saidIn = ({ headers }: StoredMessage): Said => headers as Said;

const sinceOf = (message: StoredMessage): number => {
  const said = saidIn(message);
  return (said.kind === 'announced' ? said.since : undefined) ?? message.place;
};

const entryOf = (message: StoredMessage): CatalogueEntry => {
  const { place } = message;
  const { kind } = saidIn(message);
  switch (kind) {
    case 'announced':
      return { kind, announcement: AgentAnnouncement.parse(jsonIn(message)), since: sinceOf(message), place };
    case 'present':
      return { kind, presence: WorkerPresence.parse(jsonIn(message)), place };
    case 'withdrawn':
      return { kind, workerId: String(message.data), place };
  }
};

const isSame = (message: StoredMessage, { announcedBy, ...announcement }: AgentAnnouncement): boolean => {
  const { announcedBy: before, ...said } = AgentAnnouncement.parse(jsonIn(message));
  return isDeepStrictEqual(said, JSON.parse(JSON.stringify(announcement)));
};

const jsonIn = ({ data }: StoredMessage): unknown => JSON.parse(String(data));
