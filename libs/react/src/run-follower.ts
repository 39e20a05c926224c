import type { MillraceClient, PublicEvent, StreamRunOptions } from '@millrace/client';
import { isTerminal } from '@millrace/contracts/browser';

export interface RunSnapshot {
  /** All that came so far, in order. A new array whenever something came. */
  readonly events: readonly PublicEvent[];
  readonly connection: 'idle' | 'connecting' | 'open' | 'waiting' | 'ended';
  /** What ended the stream before the run had ended. */
  readonly error: Error | undefined;
}

export type FollowOptions = Pick<StreamRunOptions, 'fromSeq' | 'coalesce'>;

export const NOTHING_YET: RunSnapshot = { events: [], connection: 'idle', error: undefined };

/** Pages are drawn 60 times a second at most; a replay of thousands of events need not be drawn for each. */
const SHOWN_EVERY_MS = 33;

/**
 * One run as a store that React can read, shared by all who look at it.
 *
 * I1  The connection is open while somebody looks, and is closed with the last of them.
 * I2  Who comes back gets all that came before, and the stream goes on behind it.
 * I3  A snapshot changes at most so often, and never without need; the last one has everything.
 */
export class RunFollower {
  #snapshot = NOTHING_YET;
  #arrived: PublicEvent[] = [];
  #following: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #viewers = 0;
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly client: MillraceClient,
    private readonly runId: string,
    private readonly options: FollowOptions,
    private readonly onUnwatched: () => void = () => undefined,
  ) {}

  get isWatched(): boolean {
    return this.#viewers > 0;
  }

  readonly snapshot = (): RunSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Returns what ends the looking. */
  watch(): () => void {
    this.#viewers += 1;
    if (this.#viewers === 1) void this.#follow();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#viewers -= 1;
      if (this.#viewers === 0) this.#leave(); // I1
    };
  }

  async #follow(): Promise<void> {
    this.#show();
    const last = this.#snapshot.events.at(-1);
    if (last && isTerminal(last)) return;
    const following = new AbortController();
    this.#following = following;
    const { signal } = following;
    const fromSeq = last ? last.sequence + 1 : this.options.fromSeq; // I2
    const onConnection: StreamRunOptions['onConnection'] = ({ state }) => {
      if (!signal.aborted) this.#change({ connection: state });
    };
    this.#change({ error: undefined });
    try {
      for await (const event of this.client.streamRun(this.runId, { ...this.options, fromSeq, signal, onConnection })) {
        if (signal.aborted) return;
        this.#arrived.push(event);
        this.#timer ??= setTimeout(() => this.#show(), SHOWN_EVERY_MS); // I3
      }
    } catch (error) {
      if (!signal.aborted) this.#change({ error: error as Error });
    } finally {
      if (!signal.aborted) this.#show(); // I3
    }
  }

  #leave(): void {
    this.#following?.abort();
    this.#show();
    this.#change({ connection: 'idle' });
    this.onUnwatched();
  }

  #show(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#arrived.length === 0) return;
    const events = [...this.#snapshot.events, ...this.#arrived];
    this.#arrived = [];
    this.#change({ events });
  }

  #change(part: Partial<RunSnapshot>): void {
    const isSame = Object.entries(part).every(([name, value]) => this.#snapshot[name as keyof RunSnapshot] === value);
    if (isSame) return;
    this.#snapshot = { ...this.#snapshot, ...part };
    for (const listener of this.#listeners) listener();
  }
}
