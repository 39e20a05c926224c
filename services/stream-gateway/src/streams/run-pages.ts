import type { RunRef } from '@millrace/contracts';
import { isShown } from '@millrace/dialects';
import type { AtLeast, ReadFrom, RunLog } from '@millrace/ports';
import { Entry } from './entry.js';
import { RunPage } from './run-page.js';
import { Slots } from './slots.js';

export interface PagesOptions {
  /** What pages nobody waits for may take in memory, about. */
  readonly maxBytes: number;
  /** How many pages may be read from the log at the same time; the others wait their turn. */
  readonly maxReads: number;
}

const PAGE = 512;

/**
 * The histories of runs, page by page. Public events are numbered without gaps and never change, so a page is good for
 * everybody who wants it: those who come at the same time share one read, those who come later find it in memory.
 *
 * I1  A page that is not whole is good for the events it has. Who wants the next one makes it grow from where it ends.
 */
export class RunPages {
  /** Oldest use first. */
  readonly #kept = new Map<string, RunPage>();
  readonly #reading = new Map<string, Promise<RunPage>>();
  readonly #slots: Slots;
  #weight = 0;

  constructor(
    private readonly log: RunLog,
    private readonly options: PagesOptions,
  ) {
    this.#slots = new Slots(options.maxReads);
  }

  get weight(): number {
    return this.#weight;
  }

  /** The page that holds the event, which is known to be stored. */
  async at(run: RunRef, sequence: number): Promise<RunPage> {
    const number = Math.floor(sequence / PAGE);
    const key = keyOf(run, number);
    const kept = this.#kept.get(key);
    if (kept && (kept.isWhole || sequence < kept.end)) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    const reading = this.#reading.get(key) ?? this.read(run, number, key);
    this.#reading.set(key, reading);
    const page = await reading;
    // A replica that lags may not have had it; and it may have been stored after a reading that is shared had begun.
    return sequence < page.end ? page : this.read(run, number, key, 'now');
  }

  private async read(run: RunRef, number: number, key: string, atLeast?: AtLeast): Promise<RunPage> {
    try {
      const page = await this.#slots.run(() => this.load(run, number, atLeast));
      this.keep(key, page);
      return page;
    } finally {
      this.#reading.delete(key);
    }
  }

  private async load(run: RunRef, number: number, atLeast: AtLeast | undefined): Promise<RunPage> {
    const begun = this.#kept.get(keyOf(run, number)); // I1
    // Behind what is here the place in the log is known and need not be looked for.
    const known = begun?.entries.length ? begun : this.whole(run, number - 1);
    let from: ReadFrom = known?.tail ?? { sequence: number * PAGE };
    const entries: Entry[] = [...(begun?.entries ?? [])];
    for (;;) {
      const { events, tail, hasMore } = await this.log.read(run, from, { limit: PAGE - entries.length, atLeast });
      for (const event of events) if (isShown(event)) entries.push(new Entry(event, this.log.textOf(event)));
      if (entries.length === PAGE || !hasMore) return new RunPage(entries, tail, entries.length === PAGE);
      from = tail; // the rest was internal
    }
  }

  private whole(run: RunRef, number: number): RunPage | undefined {
    const page = this.#kept.get(keyOf(run, number));
    return page?.isWhole ? page : undefined;
  }

  private keep(key: string, page: RunPage): void {
    this.#weight += page.weight - (this.#kept.get(key)?.weight ?? 0);
    this.#kept.delete(key);
    this.#kept.set(key, page);
    for (const [oldest, { weight }] of this.#kept) {
      if (this.#weight <= this.options.maxBytes) return;
      this.#kept.delete(oldest);
      this.#weight -= weight;
    }
  }
}

const keyOf = ({ tenantId, runId }: RunRef, number: number): string => `${tenantId}/${runId}/${number}`;
