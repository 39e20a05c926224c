import { isShown } from '@millrace/dialects';
import type { FeedEvent, FeedPage, FeedWanted, TenantFeed } from '@millrace/ports';

export interface FeedListener {
  /** There may be more to read. */
  changed(): void;
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
    private readonly troubled: (error: unknown) => void,
  ) {}

  static async open(feed: TenantFeed, wanted: FeedWanted, troubled: (error: unknown) => void): Promise<FeedChannel> {
    const end = await feed.end(wanted.tenantId);
    const channel = new FeedChannel(feed, wanted, end, end, troubled);
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
      return { events, upTo: Math.max(this.upTo, after), hasMore: false };
    }
    return shown(await this.feed.page(this.wanted, after, FEED_PAGE));
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
        const { events, upTo, hasMore } = shown(await this.feed.page(this.wanted, this.upTo, FEED_PAGE));
        this.#hasRung ||= hasMore;
        this.upTo = upTo; // I1
        if (events.length === 0) continue;
        this.#recent.push(...events);
        const dropped = this.#recent.splice(0, Math.max(this.#recent.length - MAX_RECENT, 0));
        this.from = dropped.at(-1)?.streamSequence ?? this.from;
        for (const listener of [...this.#listeners]) listener.changed();
      }
    } catch (error) {
      this.troubled(error); // the next ring, or the next look, tries again
    } finally {
      this.#isReading = false;
    }
  }
}

/** Tools that move control between agents have a public kind and are internal by their name. */
const shown = (page: FeedPage): FeedPage => ({ ...page, events: page.events.filter(({ event }) => isShown(event)) });
