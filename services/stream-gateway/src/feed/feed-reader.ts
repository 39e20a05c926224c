import { encodeFrames } from '@millrace/dialects';
import { PlatformError } from '@millrace/kernel';
import type { FeedEvent } from '@millrace/ports';
import type { SseConnection } from '../streams/sse-connection.js';
import type { StreamReader } from '../streams/stream-desk.js';
import type { AgentsOfRuns } from './agents-of-runs.js';
import type { FeedChannel, FeedListener } from './feed-channel.js';
import { cursorAt } from './feed-cursor.js';

/** One connection's way through a feed: behind which place of the log it stands. */
export class FeedReader implements FeedListener, StreamReader {
  #isPumping = false;
  #hasChanged = false;
  #sent: number | undefined;

  constructor(
    private readonly channel: FeedChannel,
    private readonly connection: SseConnection,
    private readonly agents: AgentsOfRuns,
    private readonly agent: string | undefined,
    private after: number,
  ) {}

  /** Of the last event that was sent; before the first, of the place it began at. */
  get cursor(): string {
    return cursorAt(this.channel.wanted.tenantId, this.#sent ?? this.after);
  }

  start(): void {
    this.connection.onDrain = () => this.changed();
    this.channel.join(this);
    this.changed();
  }

  leave(): void {
    this.channel.leave(this);
  }

  changed(): void {
    this.#hasChanged = true;
    if (!this.#isPumping) void this.pump();
  }

  private async pump(): Promise<void> {
    this.#isPumping = true;
    try {
      while (this.#hasChanged && this.connection.isWritable) {
        this.#hasChanged = false;
        const { events, upTo, hasMore } = await this.channel.page(this.after);
        for (const each of events) {
          if (!this.connection.isWritable) return;
          if (await this.isWanted(each)) this.send(each);
          this.after = each.streamSequence;
        }
        this.after = upTo;
        this.#hasChanged ||= hasMore || upTo < this.channel.end;
      }
    } catch (error) {
      const isLater = error instanceof PlatformError && error.redelivery === 'retry';
      this.connection.close({ code: isLater ? 'LOG_UNAVAILABLE' : 'EVENT_INVALID', cursor: this.cursor });
    } finally {
      this.#isPumping = false;
      if (!this.connection.isBlocked && this.#hasChanged && this.connection.isOpen) this.changed();
    }
  }

  private async isWanted({ event }: FeedEvent): Promise<boolean> {
    return this.agent === undefined || (await this.agents.of(event)) === this.agent;
  }

  private send({ event, streamSequence }: FeedEvent): void {
    const id = cursorAt(event.tenantId, streamSequence);
    this.connection.send(Buffer.from(encodeFrames(id, [{ data: event }])));
    this.#sent = streamSequence;
  }
}
