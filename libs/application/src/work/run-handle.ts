import type { RunEvent, RunEventOf, RunRef, RunTask, TaskKey } from '@millrace/contracts';
import { type AtLeast, PlaceIndex, type StorePlace } from '@millrace/ports';
import type { Run } from '@millrace/run-domain';
import { RunSession, type SessionPorts } from '../run-session.js';
import { RunWriter } from '../run-writer.js';
import { TaskJournal } from './task-journal.js';

export interface HandlePorts extends SessionPorts {
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * One run in the hands of a worker: its fold, its one writer, and the journals of its open tasks. All that a worker does
 * for the run at the same time shares it, so that it never races itself for the tail. Read once, then kept up by what is
 * appended here, by conflicts, and by word of what others append.
 */
export class RunHandle {
  readonly writer: RunWriter;
  readonly #session: RunSession;
  readonly #journals = new Map<TaskKey, TaskJournal>();
  readonly #hearers = new Set<(event: RunEvent) => void>();
  #lastCheckpoint: RunEventOf<'CheckpointSaved'> | undefined;
  /** All there was when this was opened; given to the graph that is started with it. */
  #history: RunEvent[] | undefined = [];
  #refreshing: { place: AtLeast; done: Promise<void> } | undefined;

  constructor(
    private readonly ports: HandlePorts,
    readonly ref: RunRef,
    seed?: { readonly events: readonly RunEvent[]; readonly tail: RunSession['tail'] },
  ) {
    const hear = (event: RunEvent) => this.hear(event);
    this.#session = seed ? RunSession.seeded(ports, ref, seed, hear) : RunSession.unread(ports, ref, hear);
    this.writer = new RunWriter(this.#session, ports.log, { pause: ports.pause });
  }

  /** The history a task brought along, when it did; else what is in the log. */
  static of(
    ports: HandlePorts,
    { tenantId, runId, seed, place }: Pick<RunTask, 'tenantId' | 'runId' | 'seed' | 'place'>,
  ) {
    if (!seed) return new RunHandle(ports, { tenantId, runId });
    const { position, sequence } = seed;
    const places = seed.places === undefined ? undefined : PlaceIndex.parse(position, seed.places);
    const tail = { streamSequence: place, position, sequence, places };
    return new RunHandle(ports, { tenantId, runId }, { events: seed.events, tail });
  }

  get run(): Run {
    return this.#session.run;
  }

  get place(): StorePlace {
    return this.#session.tail.streamSequence;
  }

  get lastCheckpoint(): RunEventOf<'CheckpointSaved'> | undefined {
    return this.#lastCheckpoint;
  }

  /** Reads what was appended since, at least up to there. Those who ask while one reading waits share the next. */
  async refresh(atLeast: AtLeast): Promise<void> {
    if (atLeast !== 'now' && atLeast <= this.place) return;
    const waiting = this.#refreshing;
    if (waiting) {
      waiting.place = furthest(waiting.place, atLeast);
      return waiting.done;
    }
    const next = { place: atLeast, done: Promise.resolve() };
    next.done = this.writer.alone(async () => {
      this.#refreshing = undefined;
      await this.#session.catchUp(next.place);
    });
    this.#refreshing = next;
    return next.done;
  }

  /** Of an open task: what its attempts so far did. */
  journalOf(key: TaskKey): TaskJournal {
    return this.#journals.get(key) ?? new TaskJournal(key);
  }

  /** Calls `hear` for each event that is folded from now on; the answer ends it. */
  listen(hear: (event: RunEvent) => void): () => void {
    this.#hearers.add(hear);
    return () => this.#hearers.delete(hear);
  }

  /** Lets `begin` have the whole history while nothing is folded: what comes later is heard. */
  async withHistory(begin: (history: readonly RunEvent[]) => void): Promise<void> {
    await this.writer.alone(async () => {
      const known = this.#history ?? (await this.readAll());
      this.#history = undefined;
      begin(known);
    });
  }

  async readAll(): Promise<readonly RunEvent[]> {
    const { streamSequence: atLeast, position } = this.#session.tail;
    const { events } = await this.ports.log.read(this.ref, undefined, { atLeast });
    return events.slice(0, position + 1);
  }

  /** The history is not needed, or not any more: a node of the run is run here, not its graph. */
  forgetHistory(): void {
    this.#history = undefined;
  }

  private hear(event: RunEvent): void {
    this.#history?.push(event);
    if (event.kind === 'CheckpointSaved') this.#lastCheckpoint = event;
    this.keepJournal(event);
    for (const hear of this.#hearers) hear(event);
  }

  private keepJournal(event: RunEvent): void {
    if (event.kind === 'InputProvided' || event.kind === 'InputExpired') {
      for (const journal of this.#journals.values()) journal.evolve(event);
    } else if (event.kind === 'NodeFinished') {
      this.#journals.delete(event.taskKey);
    } else if ('taskKey' in event) {
      let journal = this.#journals.get(event.taskKey);
      if (!journal) this.#journals.set(event.taskKey, (journal = new TaskJournal(event.taskKey)));
      journal.evolve(event);
    }
  }
}

export const furthest = (one: AtLeast, other: AtLeast): AtLeast =>
  one === 'now' || other === 'now' ? 'now' : Math.max(one, other);
