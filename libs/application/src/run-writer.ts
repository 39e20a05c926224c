import { PlatformError } from '@millrace/kernel';
import type { RunEvent } from '@millrace/contracts';
import { type Appended, RunLogConflict, type RunLog } from '@millrace/ports';
import type { RunCommand, SpokenFact } from '@millrace/run-domain';
import type { RunSession, Store } from './run-session.js';

export interface WriterOptions {
  /** Gives up on a store that does not answer, and on what waits, when it aborts. */
  readonly signal?: AbortSignal;
  /** Injected so that waiting is the caller's business. */
  readonly pause: (ms: number) => Promise<void>;
  /** A merged delta stays below this many characters. */
  readonly maxDeltaLength?: number;
}

interface Settle {
  readonly resolve: (events: readonly RunEvent[]) => void;
  readonly reject: (error: unknown) => void;
}
interface Waiting {
  /** Absent for work of another sort, which only needs the session to itself. */
  command?: RunCommand;
  readonly work?: () => Promise<void>;
  readonly settle: Settle[];
}

const LONGEST_PAUSE_MS = 2_000;
const MAX_DELTA_LENGTH = 16_000;

/**
 * I1  One append is in flight at a time; commands are taken in the order they came.
 * I2  Deltas of the same speaker that wait next to each other become one event. They never pass another command, and
 *     no other command passes them.
 * I3  A store that is away is asked again with the very same event, so that nothing is said twice.
 */
export class RunWriter {
  readonly #waiting: Waiting[] = [];
  #writing?: Promise<void> | undefined;

  constructor(
    private readonly session: RunSession,
    private readonly log: RunLog,
    private readonly options: WriterOptions,
  ) {}

  /** Resolves once everything the command decides is stored. */
  write(command: RunCommand): Promise<readonly RunEvent[]> {
    return new Promise((resolve, reject) => this.enqueue({ command, settle: [{ resolve, reject }] }));
  }

  /** Stored in its turn, without waiting; `refused` hears when it was not. */
  say(fact: SpokenFact, refused: (error: unknown) => void): void {
    const settle = [{ resolve: () => {}, reject: refused }];
    this.enqueue({ command: { kind: 'Say', ...this.session.ref, fact }, settle });
  }

  /** Has the session to itself, in its turn. */
  async alone(work: () => Promise<void>): Promise<void> {
    await new Promise<readonly RunEvent[]>((resolve, reject) => this.enqueue({ work, settle: [{ resolve, reject }] }));
  }

  /** Resolves once all that was said is stored, or refused. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** How many events wait behind the one in flight. */
  get backlog(): number {
    return this.#waiting.length;
  }

  private enqueue(next: Waiting): void {
    const last = this.#waiting.at(-1);
    const merged = mergeDeltas(last?.command, next.command, this.options.maxDeltaLength ?? MAX_DELTA_LENGTH); // I2
    if (last && merged) {
      last.command = merged;
      last.settle.push(...next.settle);
    } else {
      this.#waiting.push(next);
    }
    this.#writing ??= this.drain();
  }

  private async drain(): Promise<void> {
    await Promise.resolve(); // what is said in the same breath belongs together
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      try {
        const events = await this.perform(next);
        for (const { resolve } of next.settle) resolve(events);
      } catch (error) {
        for (const { reject } of next.settle) reject(error);
      }
    }
    this.#writing = undefined;
  }

  private async perform({ command, work }: Waiting): Promise<readonly RunEvent[]> {
    // What it decides is decided again on all there is: a command that was stored in part goes on behind that part.
    if (command) return this.patiently(() => this.session.execute(command, this.store));
    await work?.();
    return [];
  }

  private readonly store: Store = (draft, tail): Promise<Appended> =>
    this.patiently(() => this.log.append(this.session.ref, draft, tail)); // I3

  private async patiently<T>(ask: () => Promise<T>): Promise<T> {
    const { signal, pause } = this.options;
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await ask();
      } catch (error) {
        const passes =
          error instanceof PlatformError && error.redelivery === 'retry' && !(error instanceof RunLogConflict);
        if (!passes || signal?.aborted) throw error;
        await pause(pauseMs);
      }
    }
  }
}

/** I2. Undefined when the two do not belong together. */
const mergeDeltas = (
  first: RunCommand | undefined,
  second: RunCommand | undefined,
  maxLength: number,
): RunCommand | undefined => {
  if (first?.kind !== 'Say' || second?.kind !== 'Say') return undefined;
  const [one, other] = [first.fact, second.fact];
  if (!isDelta(one) || !isDelta(other) || one.kind !== other.kind) return undefined;
  const sameSpeaker =
    one.taskKey === other.taskKey &&
    one.attempt === other.attempt &&
    one.agentId === other.agentId &&
    one.node === other.node &&
    one.within === other.within;
  if (!sameSpeaker || one.text.length + other.text.length > maxLength) return undefined;
  return { ...first, fact: { ...one, text: one.text + other.text } };
};

type Delta = Extract<SpokenFact, { kind: 'TokenDelta' | 'ThoughtDelta' }>;
const isDelta = (fact: SpokenFact): fact is Delta => fact.kind === 'TokenDelta' || fact.kind === 'ThoughtDelta';
