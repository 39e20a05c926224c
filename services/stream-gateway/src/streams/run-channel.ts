import { isTerminal, type RunEvent, type RunRef } from '@millrace/contracts';
import { type DialectName, isShown } from '@millrace/dialects';
import type { RunLog, Tail } from '@millrace/ports';
import { type Block, blocksOf, Entry } from './entry.js';

export interface ChannelReader {
  /** There is more to read, or there will be none any more. */
  pump(): void;
  /** The run can be read no further. */
  fail(error: unknown): void;
}

/** What the hot end of a run may hold; readers that are further behind read pages. */
const MAX_RECENT = 256;
const MAX_RECENT_BYTES = 512 * 1024;

/**
 * A run that somebody reads: its last number, its last few events, and who reads. One for each run and process, however
 * many read it, and with it one subscription. Nothing in it matters: all of it is in the log.
 *
 * I1  Numbers have no gaps, so a reader is one number: the next it wants. Whether that comes from a page or from here,
 *     and when the two meet, makes no difference.
 * I2  `recent` holds the events up to and including `last`, without gaps.
 * I3  What arrives in one turn of the event loop is told once.
 */
export class RunChannel {
  readonly #readers = new Set<ChannelReader>();
  #recent: Entry[] = [];
  #recentBytes = 0;
  #last: number;
  #isEnded = false;
  #isTelling = false;
  #failure: unknown;
  #toldTo: number;
  #fresh: Partial<Record<DialectName, readonly Block[]>> = {};

  private constructor(
    private readonly log: RunLog,
    readonly run: RunRef,
    tail: Tail,
    private readonly stop: AbortController,
  ) {
    this.#last = tail.sequence;
    this.#toldTo = tail.sequence;
  }

  /**
   * Undefined when there is no such run. One look at the log tells what the first reader, who wants the events from
   * `wanted` on, is missing, and whether the run has ended; only of a long history it does not see the end.
   */
  static async open(log: RunLog, run: RunRef, wanted = 0): Promise<RunChannel | undefined> {
    const stop = new AbortController();
    // One event before: when nothing is missing, that one tells whether the run has ended.
    const from = { sequence: Math.max(wanted - 1, 0) };
    const joined = await log.join(run, from, { limit: MAX_RECENT, signal: stop.signal });
    const { events, hasMore, tail } = joined.page;
    const entries = events.filter(isShown).map((event) => new Entry(event, log.textOf(event)));
    if (hasMore || (entries.length === 0 && tail.sequence !== -1) || tail.position < 0) {
      joined.leave();
      return this.openFar(log, run, stop);
    }
    const channel = new RunChannel(log, run, tail, stop);
    for (const entry of entries) channel.keep(entry);
    channel.trim();
    // Nothing public follows the terminal event, so a run that has ended needs no listening.
    if (channel.#isEnded) joined.leave();
    else void channel.follow(joined.follow());
    return channel;
  }

  /** The first reader is far behind, or ahead: it reads pages, and the channel begins at the end. */
  private static async openFar(log: RunLog, run: RunRef, stop: AbortController): Promise<RunChannel | undefined> {
    const tail = await log.tail(run, { atLeast: 'now' });
    if (tail.position < 0) return undefined;
    const channel = new RunChannel(log, run, tail, stop);
    const last = tail.sequence < 0 ? undefined : await eventAt(log, run, tail);
    if (last !== undefined && isTerminal(last)) channel.#isEnded = true;
    else void channel.follow(log.follow(run, tail, stop.signal));
    return channel;
  }

  get last(): number {
    return this.#last;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  join(reader: ChannelReader): void {
    this.#readers.add(reader);
    if (this.#failure !== undefined) reader.fail(this.#failure);
  }

  leave(reader: ChannelReader): void {
    this.#readers.delete(reader);
  }

  close(): void {
    this.stop.abort();
  }

  /** The events from the number on; undefined when that is no longer, or not yet, here. */
  recentFrom(sequence: number): readonly Entry[] | undefined {
    const first = this.#recent[0]?.sequence ?? this.#last + 1;
    return sequence < first || sequence > this.#last ? undefined : this.#recent.slice(sequence - first);
  }

  /** What came in this turn, encoded once for all readers who have had everything before. */
  freshFrom(sequence: number, dialect: DialectName): readonly Block[] | undefined {
    if (sequence !== this.#toldTo + 1) return undefined;
    const entries = this.recentFrom(sequence);
    return entries && (this.#fresh[dialect] ??= blocksOf(entries, dialect));
  }

  private async follow(events: AsyncIterable<RunEvent>): Promise<void> {
    try {
      for await (const event of events) {
        if (!isShown(event)) continue;
        this.take(new Entry(event, this.log.textOf(event)));
        if (isTerminal(event)) return;
      }
    } catch (error) {
      this.#failure = error;
      for (const reader of [...this.#readers]) reader.fail(error);
    }
  }

  private keep(entry: Entry): void {
    this.#recent.push(entry); // I2
    this.#recentBytes += entry.bytes('native').byteLength;
    this.#isEnded = entry.isTerminal;
  }

  private take(entry: Entry): void {
    this.keep(entry);
    this.#last = entry.sequence;
    if (this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => this.tell()); // I3
  }

  private tell(): void {
    this.#isTelling = false;
    this.#fresh = {};
    for (const reader of [...this.#readers]) reader.pump();
    this.#fresh = {};
    this.#toldTo = this.#last;
    this.trim();
  }

  private trim(): void {
    let dropped = 0;
    while (this.#recent.length - dropped > MAX_RECENT || this.#recentBytes > MAX_RECENT_BYTES) {
      const entry = this.#recent[dropped];
      if (!entry) break;
      this.#recentBytes -= entry.bytes('native').byteLength;
      dropped += 1;
    }
    if (dropped > 0) this.#recent = this.#recent.slice(dropped);
  }
}

/** The last public event of a history that is known to go as far as `tail`. */
const eventAt = async (log: RunLog, run: RunRef, { sequence, streamSequence }: Tail): Promise<RunEvent | undefined> =>
  (await log.read(run, { sequence }, { limit: 1, atLeast: streamSequence })).events[0];
