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

interface Waiting {
  command: RunCommand;
  readonly settle: { resolve: (events: readonly RunEvent[]) => void; reject: (error: unknown) => void }[];
}

const LONGEST_PAUSE_MS = 2_000;
const MAX_DELTA_LENGTH = 16_000;

/**
 * I1  One append is in flight at a time; commands are taken in the order they came.
 * I2  Deltas of the same speaker that wait next to each other become one event. They never pass another command, and
 *     no other command passes them.
 * I3  A store that is away is asked again with the very same event, so that nothing is said twice.
 * I4  After a refusal of something said without waiting, everything that follows is refused with the same error.
 */
export class RunWriter {
  readonly #waiting: Waiting[] = [];
  #writing?: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly session: RunSession,
    private readonly log: RunLog,
    private readonly options: WriterOptions,
  ) {}

  /** Resolves once everything the command decides is stored. */
  write(command: RunCommand): Promise<readonly RunEvent[]> {
    if (this.#failure) return Promise.reject(asError(this.#failure.error));
    return new Promise((resolve, reject) => {
      this.enqueue(command, { resolve, reject });
    });
  }

  /** Stored in its turn, without waiting. That it was refused shows in the next write() or flush(). */
  say(fact: SpokenFact): void {
    const ignore = { resolve: () => {}, reject: (error: unknown) => (this.#failure ??= { error }) }; // I4
    if (!this.#failure) this.enqueue({ kind: 'Say', ...this.session.ref, fact }, ignore);
  }

  /** Resolves once all that was said is stored. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#failure) throw asError(this.#failure.error);
  }

  /** How many events wait behind the one in flight. */
  get backlog(): number {
    return this.#waiting.length;
  }

  private enqueue(command: RunCommand, settle: Waiting['settle'][number]): void {
    const last = this.#waiting.at(-1);
    const merged = last && mergeDeltas(last.command, command, this.options.maxDeltaLength ?? MAX_DELTA_LENGTH); // I2
    if (last && merged) {
      last.command = merged;
      last.settle.push(settle);
    } else {
      this.#waiting.push({ command, settle: [settle] });
    }
    this.#writing ??= this.drain();
  }

  private async drain(): Promise<void> {
    await Promise.resolve(); // what is said in the same breath belongs together
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { command, settle } = next;
      try {
        if (this.#failure) throw this.#failure.error;
        const events = await this.session.execute(command, this.patiently);
        for (const { resolve } of settle) resolve(events);
      } catch (error) {
        for (const { reject } of settle) reject(error);
      }
    }
    this.#writing = undefined;
  }

  private readonly patiently: Store = async (draft, tail): Promise<Appended> => {
    const { signal, pause } = this.options;
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await this.log.append(this.session.ref, draft, tail); // I3
      } catch (error) {
        const passes = error instanceof PlatformError && error.redelivery === 'retry' && !(error instanceof RunLogConflict);
        if (!passes || signal?.aborted) throw error;
        await pause(pauseMs);
      }
    }
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** I2. Undefined when the two do not belong together. */
const mergeDeltas = (first: RunCommand, second: RunCommand, maxLength: number): RunCommand | undefined => {
  if (first.kind !== 'Say' || second.kind !== 'Say') return undefined;
  const [one, other] = [first.fact, second.fact];
  if (!isDelta(one) || !isDelta(other) || one.kind !== other.kind) return undefined;
  const sameSpeaker =
    one.taskKey === other.taskKey && one.attempt === other.attempt && one.agentId === other.agentId && one.node === other.node;
  if (!sameSpeaker || one.text.length + other.text.length > maxLength) return undefined;
  return { ...first, fact: { ...one, text: one.text + other.text } };
};

type Delta = Extract<SpokenFact, { kind: 'TokenDelta' | 'ThoughtDelta' }>;
const isDelta = (fact: SpokenFact): fact is Delta => fact.kind === 'TokenDelta' || fact.kind === 'ThoughtDelta';
