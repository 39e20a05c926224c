import type { RunErrorCode, RunRef } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { AtLeast } from '@millrace/ports';
import { RunRefused } from '@millrace/run-domain';
import { KeyedTurns } from '../keyed-turns.js';
import { RunCommandHandler } from '../run-command-handler.js';
import { type ConductPorts, ConductedRun } from './conducted-run.js';

export interface ConductorOptions {
  /** How many runs that move are kept in memory; the least lately moved is let go and read again when it moves. */
  readonly maxResident: number;
}

/** Runs in the hands of one orchestrator. What it forgets, or another one does, is read from the log again. */
export class RunConductor {
  readonly #turns = new KeyedTurns();
  readonly #resident = new Map<string, ConductedRun>();
  /** How far the next turn of a run has to read: a turn is shared by all that call for it before it begins. */
  readonly #wanted = new Map<string, AtLeast>();
  readonly #woken = new Set<string>();

  constructor(
    private readonly ports: ConductPorts,
    private readonly options: ConductorOptions = { maxResident: 500 },
  ) {}

  /**
   * Resolves when every consequence of what the run's log holds is in the log and in the queue: of all of it up to
   * `atLeast`, the place of the event that called for it.
   */
  advance(ref: RunRef, atLeast: AtLeast = 'now'): Promise<void> {
    const key = `${ref.tenantId}/${ref.runId}`;
    this.#wanted.set(key, further(this.#wanted.get(key), atLeast));
    return this.#turns.take(key, () => this.turn(key, ref));
  }

  /**
   * For a run that stands still: no message of it is in the queue. So a task a worker had in hand has lost its worker, and
   * is offered again as well.
   */
  wake(ref: RunRef): Promise<void> {
    const key = `${ref.tenantId}/${ref.runId}`;
    this.#wanted.set(key, 'now');
    this.#woken.add(key);
    return this.#turns.take(key, () => this.turn(key, ref));
  }

  get resident(): number {
    return this.#resident.size;
  }

  private async turn(key: string, ref: RunRef): Promise<void> {
    const atLeast = this.#wanted.get(key) ?? 'now';
    this.#wanted.delete(key);
    const conducted = this.#resident.get(key) ?? new ConductedRun(this.ports, ref);
    this.#resident.delete(key);
    try {
      const residence = await conducted.advance(atLeast, this.#woken.delete(key));
      if (residence === 'keep') this.keep(key, conducted);
      else conducted.close();
    } catch (error) {
      conducted.close(); // whatever it believed, the log is asked again
      if (hasGoneAnotherWay(error)) return; // and the event that says so calls us again
      const errorCode = failureOf(error);
      if (!errorCode) throw error;
      await this.fail(ref, errorCode, error);
    }
  }

  private keep(key: string, conducted: ConductedRun): void {
    this.#resident.set(key, conducted);
    for (const [oldest, forgotten] of this.#resident) {
      if (this.#resident.size <= this.options.maxResident) return;
      forgotten.close();
      this.#resident.delete(oldest);
    }
  }

  private async fail(ref: RunRef, errorCode: RunErrorCode, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    await new RunCommandHandler(this.ports).handle({ kind: 'FailRun', ...ref, reason, errorCode });
  }
}

const further = (one: AtLeast | undefined, other: AtLeast): AtLeast =>
  one === 'now' || other === 'now' ? 'now' : Math.max(one ?? 0, other);

const hasGoneAnotherWay = (error: unknown): boolean => error instanceof RunRefused && error.code.startsWith('RUN_');

/** What no later attempt would change. */
const failureOf = (error: unknown): RunErrorCode | undefined => {
  if (!(error instanceof PlatformError)) return undefined;
  if (error.code === 'AGENT_NOT_FOUND' || error.code === 'AGENT_VERSION_GONE') return error.code;
  return error.code === 'TASK_CONFLICT' ? 'NON_DETERMINISTIC_GRAPH' : undefined;
};
