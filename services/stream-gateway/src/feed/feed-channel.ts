import { isShown } from '@millrace/dialects';
import type { FeedEvent, FeedPage, FeedWanted, TenantFeed, UnreadableEvent } from '@millrace/ports';

export interface FeedListener {
  /** There may be more to read. */
  changed(): void;
}

export interface FeedNotes {
  /** The feed could not be read now, and is read again. */
  troubled(error: unknown): void;
  /** Something in it is no event, and is passed over. */
  unreadable(found: UnreadableEvent): void;
}

/** How many events at the end of a feed are kept for those who stand there. */
const MAX_RECENT = 256;
export const FEED_PAGE = 200;

/**
 * The end of a feed, for all who read the same one in this process: one bell and one reading of what is new. Who is
 * further behind reads pages of its own until it has come so far.
 *
 * I1  `recent` holds all events of the feed behind `from`, up to and including `upTo`.
 * I2  One reading at a time; a ring meanwhile makes another follow.
 */
export class FeedChannel {
  readonly #listeners = new Set<FeedListener>();
  #recent: FeedEvent[] = [];
  #isReading = false;
  #hasRung = false;
  #silence: () => void = () => {};

  private constructor(
    private readonly feed: TenantFeed,
    readonly wanted: FeedWanted,
    private from: number,
    private upTo: number,
    private readonly notes: FeedNotes,
  ) {}

  static async open(feed: TenantFeed, wanted: FeedWanted, notes: FeedNotes): Promise<FeedChannel> {
    const end = await feed.end(wanted.tenantId);
    const channel = new FeedChannel(feed, wanted, end, end, notes);
    channel.#silence = await feed.listen(wanted, () => channel.ring());
    channel.ring(); // what was stored between the two
    return channel;
  }

  get end(): number {
    return this.upTo;
  }

  join(listener: FeedListener): void {
    this.#listeners.add(listener);
  }

  leave(listener: FeedListener): void {
    this.#listeners.delete(listener);
  }

  close(): void {
    this.#silence();
  }

  /** What follows behind `after`: from memory when it is there. */
  async page(after: number): Promise<FeedPage> {
    if (after >= this.from) {
      const events = this.#recent.filter(({ streamSequence }) => streamSequence > after);
      return { events, unreadable: [], upTo: Math.max(this.upTo, after), hasMore: false };
    }
    return this.shownPage(after);
  }

  private async shownPage(after: number): Promise<FeedPage> {
    const page = await this.feed.page(this.wanted, after, FEED_PAGE);
    for (const found of page.unreadable) this.notes.unreadable(found);
    return shown(page);
  }

  private ring(): void {
    this.#hasRung = true;
    if (!this.#isReading) void this.read(); // I2
  }

  private async read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#hasRung) {
        this.#hasRung = false;
        const { events, upTo, hasMore } = await this.shownPage(this.upTo);
        this.#hasRung ||= hasMore;
        this.upTo = upTo; // I1
        if (events.length === 0) continue;
        this.#recent.push(...events);
        const dropped = this.#recent.splice(0, Math.max(this.#recent.length - MAX_RECENT, 0));
        this.from = dropped.at(-1)?.streamSequence ?? this.from;
        for (const listener of [...this.#listeners]) listener.changed();
      }
    } catch (error) {
      this.notes.troubled(error); // the next ring, or the next look, tries again
    } finally {
      this.#isReading = false;
    }
  }
}

/** Tools that move control between agents have a public kind and are internal by their name. */
const shown = (page: FeedPage): FeedPage => ({ ...page, events: page.events.filter(({ event }) => isShown(event)) });
