import { type DialectName, mergeDeltas } from '@millrace/dialects';
import { PlatformError } from '@millrace/kernel';
import { setTimeout as pause } from 'node:timers/promises';
import { type Block, blocksOf, Entry } from './entry.js';
import type { ChannelReader, RunChannel } from './run-channel.js';
import type { RunPages } from './run-pages.js';
import type { SseConnection } from './sse-connection.js';
import type { StreamReader } from './stream-desk.js';

const PAGE_ATTEMPTS = 4;

export interface ReaderOptions {
  readonly dialect: DialectName;
  /** The number it begins with. */
  readonly next: number;
  /** Told why the run can be read no further. */
  readonly troubled?: (error: unknown) => void;
}

/**
 * One connection's way through a run: the number it wants next, and nothing else. What a connection cannot take is not
 * kept for it: it waits in the log, or in the channel's recent events, until the connection has room.
 *
 * I1  `next` moves on only with what was handed to the connection.
 * I2  One replay at a time: whoever pumps while one is on its way changes nothing.
 * I3  Whatever goes wrong ends this connection, and no other: whoever pumps has others to pump.
 */
export class RunReader implements ChannelReader, StreamReader {
  #isReplaying = false;
  /** Has caught up once and then taken no more for a while: its deltas are merged until it has caught up again. */
  #isLagging = false;
  #hasCaughtUp = false;
  private readonly dialect: DialectName;
  private readonly troubled: (error: unknown) => void;
  private next: number;

  constructor(
    private readonly channel: RunChannel,
    private readonly pages: RunPages,
    private readonly connection: SseConnection,
    { dialect, next, troubled = () => {} }: ReaderOptions,
  ) {
    this.dialect = dialect;
    this.next = next;
    this.troubled = troubled;
  }

  get cursor(): string | null {
    return this.next > 0 ? String(this.next - 1) : null;
  }

  start(): void {
    this.connection.onDrain = () => this.pump();
    this.channel.join(this);
    this.pump();
  }

  leave(): void {
    this.channel.leave(this);
  }

  /** I3 */
  pump(): void {
    try {
      this.goOn();
    } catch (error) {
      this.fail(error);
    }
  }

  private goOn(): void {
    while (!this.#isReplaying && this.connection.isWritable) {
      if (this.next > this.channel.last) return this.caughtUp();
      const blocks = this.here();
      if (blocks) this.send(blocks);
      else void this.replay(); // I2
    }
    if (this.connection.isBlocked && this.#hasCaughtUp) this.#isLagging = true;
  }

  fail(error: unknown): void {
    this.troubled(error);
    this.connection.close({ code: isLater(error) ? 'LOG_UNAVAILABLE' : 'EVENT_INVALID', cursor: this.cursor });
  }

  private caughtUp(): void {
    this.#hasCaughtUp = true;
    this.#isLagging = false;
    if (this.channel.isEnded) this.connection.end();
  }

  /** What the channel still has. */
  private here(): readonly Block[] | undefined {
    if (!this.#isLagging) {
      const fresh = this.channel.freshFrom(this.next, this.dialect);
      if (fresh) return fresh;
    }
    const recent = this.channel.recentFrom(this.next);
    return recent && blocksOf(this.#isLagging ? merged(recent) : recent, this.dialect);
  }

  private async replay(): Promise<void> {
    this.#isReplaying = true;
    try {
      while (this.connection.isWritable && this.next <= this.channel.last) {
        const page = await this.page();
        if (page.isWhole) this.prefetch(page.end);
        const entries = page.entriesFrom(this.next);
        this.send(this.#isLagging ? blocksOf(merged(entries), this.dialect) : page.blocksFrom(this.next, this.dialect));
        if (this.channel.recentFrom(this.next)) break;
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.#isReplaying = false;
    }
    this.pump();
  }

  private async page(): ReturnType<RunPages['at']> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.pages.at(this.channel.run, this.next);
      } catch (error) {
        if (attempt === PAGE_ATTEMPTS || !isLater(error)) throw error;
        await pause(100 * attempt);
      }
    }
  }

  /** The next page is on its way while this one is sent. Whether it can be read is seen when it is wanted. */
  private prefetch(sequence: number): void {
    if (sequence <= this.channel.last) this.pages.at(this.channel.run, sequence).catch(() => {});
  }

  private send(blocks: readonly Block[]): void {
    for (const { bytes, last, isTerminal } of blocks) {
      if (!this.connection.isWritable) return;
      this.connection.send(bytes);
      this.next = last + 1; // I1
      if (isTerminal) this.connection.end();
    }
  }
}

const merged = (entries: readonly Entry[]): Entry[] =>
  mergeDeltas(entries.map(({ event }) => event)).map((event) => new Entry(event));

const isLater = (error: unknown): boolean => error instanceof PlatformError && error.redelivery === 'retry';
