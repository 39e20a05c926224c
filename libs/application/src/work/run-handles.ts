import { type RunEventKind, type RunRef, type RunTask, TERMINAL_KINDS } from '@millrace/contracts';
import type { RunSignal, RunSignals } from '@millrace/ports';
import { type HandlePorts, RunHandle } from './run-handle.js';

export interface HandlesPorts extends HandlePorts {
  readonly signals: RunSignals;
}

interface Used {
  readonly handle: RunHandle;
  users: number;
  /** Aborted when it is used again. */
  idle: AbortController | undefined;
  /** How far it had come when it was last looked at. */
  lookedAt: number;
}

/** What others append and a worker has to know of at once. */
const FOREIGN_KINDS: readonly RunEventKind[] = [
  'RunCancelRequested',
  'RunPaused',
  'RunResumed',
  'GoalAchieved',
  'InputProvided',
  'InputExpired',
  ...TERMINAL_KINDS,
];

/** A lost word of something foreign is made good for by a look at the log. */
const LOOK_EVERY_MS = 5_000;

/**
 * The runs one worker has in hand: one handle each, shared while it is used and kept a moment longer, since the next task
 * of a run often comes soon.
 *
 * I1  Word of what others append reaches a handle by one subscription for each kind, not for each run: a run that moves
 *     hears nothing of itself. A word that is lost shows as a conflict at the next append, or at the next look.
 */
export class RunHandles {
  readonly #used = new Map<string, Used>();
  #listening: Promise<() => void> | undefined;
  readonly #closing = new AbortController();
  #isLooking = false;

  constructor(
    private readonly ports: HandlesPorts,
    private readonly keepMs: number,
    private readonly onDrop: (handle: RunHandle) => void = () => {},
  ) {}

  /** Gives the run's handle to `work` while it lasts. One that is made now begins with what the task brought along. */
  async with<T>(task: Pick<RunTask, 'tenantId' | 'runId' | 'seed' | 'place'>, work: (handle: RunHandle) => Promise<T>) {
    await this.listen();
    const key = keyOf(task);
    const used = this.#used.get(key) ?? this.open(key, task);
    used.users += 1;
    used.idle?.abort();
    try {
      return await work(used.handle);
    } catch (error) {
      this.drop(key, used); // whatever it believed, the next task reads the log again
      throw error;
    } finally {
      used.users -= 1;
      if (used.users === 0) this.dropLater(key, used);
    }
  }

  get size(): number {
    return this.#used.size;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const [key, used] of this.#used) this.drop(key, used);
    const stopListening = await this.#listening?.catch(() => undefined); // it has never listened
    stopListening?.();
  }

  private async listen(): Promise<void> {
    this.#listening ??= this.ports.signals.listen(FOREIGN_KINDS, (signal) => this.hear(signal));
    if (!this.#isLooking) void this.lookNowAndThen();
    try {
      await this.#listening;
    } catch (error) {
      this.#listening = undefined; // the next task tries again
      throw error;
    }
  }

  private hear({ run, place }: RunSignal): void {
    const used = this.#used.get(keyOf(run));
    if (used && place > used.handle.place) refreshQuietly(used.handle, place);
  }

  private async lookNowAndThen(): Promise<void> {
    this.#isLooking = true;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.ports.pause(LOOK_EVERY_MS, signal);
      if (!signal.aborted) this.look();
    }
  }

  /** I1. Only at runs that have not moved since the last look: those that move find out by themselves. */
  private look(): void {
    for (const used of this.#used.values()) {
      if (used.users > 0 && used.handle.place === used.lookedAt) refreshQuietly(used.handle, 'now');
      used.lookedAt = used.handle.place;
    }
  }

  private open(key: string, task: Pick<RunTask, 'tenantId' | 'runId' | 'seed' | 'place'>): Used {
    const used: Used = { handle: RunHandle.of(this.ports, task), users: 0, idle: undefined, lookedAt: -1 };
    this.#used.set(key, used);
    return used;
  }

  private dropLater(key: string, used: Used): void {
    const idle = new AbortController();
    used.idle = idle;
    void this.ports.pause(this.keepMs, idle.signal).then(() => {
      if (!idle.signal.aborted) this.drop(key, used);
    });
  }

  private drop(key: string, used: Used): void {
    used.idle?.abort();
    if (this.#used.get(key) !== used) return;
    this.#used.delete(key);
    this.onDrop(used.handle);
  }
}

const keyOf = ({ tenantId, runId }: RunRef): string => `${tenantId}/${runId}`;

/** That the log cannot be read now is told to the next append, and the next look comes. */
const refreshQuietly = (handle: RunHandle, place: number | 'now'): void => void handle.refresh(place).catch(() => {});
