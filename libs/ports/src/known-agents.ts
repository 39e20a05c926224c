import type { AgentAnnouncement, WorkerPresence } from '@millrace/contracts';
import { PRESENT_FOR_MS } from './agent-catalogue.port.js';
import type { StorePlace } from './store.js';

/** A message of the catalogue, with where the store has it. */
export type CatalogueEntry = { readonly place: StorePlace } &
  /** `since` is the place of the version's first announcement. */
  (
    | { readonly kind: 'announced'; readonly announcement: AgentAnnouncement; readonly since: StorePlace }
    | { readonly kind: 'present'; readonly presence: WorkerPresence }
    | { readonly kind: 'withdrawn'; readonly workerId: string }
  );

interface Version {
  readonly announcement: AgentAnnouncement;
  readonly since: StorePlace;
  readonly place: StorePlace;
}

interface Worker {
  readonly place: StorePlace;
  readonly serves: WorkerPresence['serves'];
  readonly heardAt: number;
}

export interface KnownAgentsSource {
  /** Any clock of this process: only what it shows at two times is compared. */
  readonly nowMs: () => number;
  /** Reads what has been stored and not heard of yet. */
  readonly refresh: () => Promise<void>;
}

/** By version; whether a worker would start new runs with it. */
type Serving = Map<string, 'current' | 'older'>;

/** Who serves what, as long as no worker falls silent. */
interface Roster {
  readonly goodUntil: number;
  readonly serving: ReadonlyMap<string, Serving>;
}

/**
 * The catalogue as one process knows it: a fold of its messages, each of which may come late, twice or not at all. Whoever
 * dispatches asks it for every run: so who serves what is gathered once for many questions.
 */
export class KnownAgents {
  readonly #agents = new Map<string, Map<string, Version>>();
  readonly #workers = new Map<string, Worker>();
  readonly #listeners = new Set<() => void>();
  #roster: Roster = { goodUntil: -Infinity, serving: new Map() };

  constructor(private readonly source: KnownAgentsSource) {}

  /** Once all that was stored when it was asked is known. Rejects with StoreUnavailable. */
  refresh(): Promise<void> {
    return this.source.refresh();
  }

  /** Calls when there is another agent or version, or when one is served that was not. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The ids of all agents that were ever announced, sorted. */
  get ids(): readonly string[] {
    return [...this.#agents.keys()].sort();
  }

  has(agent: string): boolean {
    return this.#agents.has(agent);
  }

  /** All that were ever announced, the newest first. */
  versions(agent: string): readonly AgentAnnouncement[] {
    return this.inOrder(agent).map(({ announcement }) => announcement);
  }

  find(agent: string, version: string): AgentAnnouncement | undefined {
    return this.#agents.get(agent)?.get(version)?.announcement;
  }

  /** Whether a worker that has it lives, as far as is known. */
  isServed(agent: string, version: string): boolean {
    return this.servingOf(agent)?.has(version) ?? false;
  }

  /** The version a run starts with now; undefined while no worker has any. */
  startable(agent: string): string | undefined {
    const serving = this.servingOf(agent);
    if (!serving) return undefined;
    const served = this.inOrder(agent).filter(({ announcement: { version } }) => serving.has(version));
    const current = served.find(({ announcement: { version } }) => serving.get(version) === 'current');
    return (current ?? served[0])?.announcement.version;
  }

  /** The one a run starts with now, or else would start with if all that were ever announced were served. */
  latest(agent: string): AgentAnnouncement | undefined {
    const startable = this.startable(agent);
    return startable === undefined ? this.versions(agent)[0] : this.find(agent, startable);
  }

  evolve(entry: CatalogueEntry): void {
    const isChanged = entry.kind === 'announced' ? this.announced(entry) : this.heardOf(entry);
    if (isChanged) for (const listener of this.#listeners) listener();
  }

  private announced({ announcement, since, place }: Extract<CatalogueEntry, { kind: 'announced' }>): boolean {
    const { id, version } = announcement;
    const versions = this.#agents.get(id) ?? new Map<string, Version>();
    this.#agents.set(id, versions);
    const known = versions.get(version);
    if (known && known.place >= place) return false;
    versions.set(version, { announcement, since, place });
    return true;
  }

  private heardOf(entry: Exclude<CatalogueEntry, { kind: 'announced' }>): boolean {
    const workerId = entry.kind === 'present' ? entry.presence.workerId : entry.workerId;
    const before = this.#workers.get(workerId);
    if (before && before.place >= entry.place) return false;
    const serves = entry.kind === 'present' ? entry.presence.serves : [];
    const wasPresent = before !== undefined && this.isPresent(before);
    this.forgetSilent();
    this.#roster = { ...this.#roster, goodUntil: -Infinity };
    this.#workers.set(workerId, { place: entry.place, serves, heardAt: this.source.nowMs() });
    return serves.length > 0 && !(wasPresent && isSame(before.serves, serves));
  }

  /** Workers that are long gone leave nothing behind: each start of a worker has another id. */
  private forgetSilent(): void {
    for (const [workerId, worker] of this.#workers) if (!this.isPresent(worker)) this.#workers.delete(workerId);
  }

  private isPresent({ heardAt }: Worker): boolean {
    return this.source.nowMs() - heardAt < PRESENT_FOR_MS;
  }

  private servingOf(agent: string): Serving | undefined {
    if (this.source.nowMs() >= this.#roster.goodUntil) this.#roster = this.gathered();
    return this.#roster.serving.get(agent);
  }

  private gathered(): Roster {
    const serving = new Map<string, Serving>();
    let goodUntil = Infinity;
    for (const worker of this.#workers.values()) {
      if (!this.isPresent(worker)) continue;
      goodUntil = Math.min(goodUntil, worker.heardAt + PRESENT_FOR_MS);
      for (const { agent, version, isCurrent } of worker.serves) {
        const versions = serving.get(agent) ?? new Map<string, 'current' | 'older'>();
        serving.set(agent, versions);
        if (versions.get(version) !== 'current') versions.set(version, isCurrent ? 'current' : 'older');
      }
    }
    return { goodUntil, serving };
  }

  private inOrder(agent: string): Version[] {
    return [...(this.#agents.get(agent)?.values() ?? [])].sort((one, other) => other.since - one.since);
  }
}

const isSame = (one: WorkerPresence['serves'], other: WorkerPresence['serves']): boolean =>
  one.length === other.length &&
  one.every(({ agent, version, isCurrent }, at) => {
    const same = other[at];
    return same?.agent === agent && same.version === version && same.isCurrent === isCurrent;
  });
