import { describe, expect, it } from '@jest/globals';
import { aTenantId, eventFixture } from '@millrace/contracts';
import { type FeedEvent, type FeedPage, TenantFeed, type UnreadableEvent } from '@millrace/ports';
import { FeedChannel } from './feed-channel.js';

const wanted = { tenantId: aTenantId, kinds: ['TokenDelta'] as const };

/** A log in memory whose bell can be kept from ringing. */
class FakeFeed extends TenantFeed {
  readonly stored: FeedEvent[] = [];
  readonly broken: UnreadableEvent[] = [];
  isAway = false;
  ring: () => void = () => {};
  reads = 0;

  store(count: number): void {
    for (let at = 0; at < count; at += 1) {
      this.stored.push({ event: eventFixture('TokenDelta'), streamSequence: 10 * (this.stored.length + 1) });
    }
  }

  async end(): Promise<number> {
    return this.stored.at(-1)?.streamSequence ?? 0;
  }

  async page(_wanted: unknown, after: number, limit: number): Promise<FeedPage> {
    this.reads += 1;
    if (this.isAway) throw new Error('away');
    const behind = this.stored.filter(({ streamSequence }) => streamSequence > after);
    const events = behind.slice(0, limit);
    const hasMore = behind.length > limit;
    return {
      events,
      unreadable: this.broken.splice(0),
      upTo: hasMore ? events.at(-1)!.streamSequence : await this.end(),
      hasMore,
    };
  }

  async listen(_wanted: unknown, ring: () => void): Promise<() => void> {
    this.ring = ring;
    return () => (this.ring = () => {});
  }
}

const opened = async (feed: FakeFeed) => {
  const troubles: unknown[] = [];
  const unreadable: UnreadableEvent[] = [];
  const channel = await FeedChannel.open(feed, wanted, {
    troubled: (error) => troubles.push(error),
    unreadable: (found) => unreadable.push(found),
  });
  let told: () => void = () => {};
  channel.join({ changed: () => told() });
  const nextChange = () => new Promise<void>((resolve) => (told = resolve));
  return { channel, troubles, unreadable, nextChange };
};

describe('The end of a feed', () => {
  it('is read once for all when something rings, and given from memory', async () => {
    const feed = new FakeFeed();
    feed.store(3);
    const { channel, nextChange } = await opened(feed);
    const changed = nextChange();
    feed.store(2);
    feed.ring();
    await changed;
    const { reads } = feed;
    const pages = await Promise.all([channel.page(30), channel.page(40), channel.page(50)]);
    expect(pages.map(({ events }) => events.map(({ streamSequence }) => streamSequence))).toEqual([[40, 50], [50], []]);
    expect(feed.reads).toBe(reads);
  });

  it('is read to its end however much was stored, and holds the last of it only', async () => {
    const feed = new FakeFeed();
    const { channel, nextChange } = await opened(feed);
    feed.store(1_000);
    feed.ring();
    while (channel.end < 10_000) await nextChange();
    const { reads } = feed;
    expect((await channel.page(9_990)).events).toHaveLength(1);
    expect(feed.reads).toBe(reads);
    expect((await channel.page(0)).events[0]?.streamSequence).toBe(10); // who is far behind reads for itself
    expect(feed.reads).toBe(reads + 1);
  });

  it('passes over what is no event, says so, and gives what lies behind it', async () => {
    const feed = new FakeFeed();
    const { channel, unreadable, nextChange } = await opened(feed);
    const found = { subject: 'tenant.x', streamSequence: 5, error: new Error('no event') };
    feed.broken.push(found);
    const changed = nextChange();
    feed.store(1);
    feed.ring();
    await changed;
    expect([channel.end, unreadable]).toEqual([10, [found]]);
  });

  it('goes on with the next ring after it could not be read', async () => {
    const feed = new FakeFeed();
    const { channel, troubles, nextChange } = await opened(feed);
    feed.isAway = true;
    feed.store(1);
    feed.ring();
    while (troubles.length === 0) await Promise.resolve();
    feed.isAway = false;
    const changed = nextChange();
    feed.ring();
    await changed;
    expect(channel.end).toBe(10);
  });
});
