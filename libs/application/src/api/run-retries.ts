import {
  isTerminal,
  type RetryCreated,
  type RunEvent,
  type RunEventOf,
  type RunId,
  type RunImprovement,
  type RunRef,
  type TerminalKind,
} from '@millrace/contracts';
import { type AtLeast, type Delivery, done, type Outcome, retryAfter } from '@millrace/ports';
import { decide, fold, type RequestRetry, RunRefused } from '@millrace/run-domain';
import { bounded, improvementHints, readable } from '@millrace/run-views';
import { RunCommandHandler } from '../run-command-handler.js';
import type { SessionPorts } from '../run-session.js';
import type { AgentChecks } from './agent-checks.js';
import { automaticRetryOf, improvementRunOf, runIdOfKey } from './idempotent-id.js';
import { type Requested, RetryRuns } from './retry-runs.js';
import type { Caller } from './run-orders.js';

export interface RetryOptions {
  /** The agent that reads what went wrong and says what to do better. */
  readonly improver: string;
  readonly newRunId: () => RunId;
  readonly agents: Pick<AgentChecks, 'requireAgent'>;
}

type Retry = RunEventOf<'RetryRequested'> & { readonly retryRunId: RunId };

/**
 * One wish is one event (RetryRequested, GoalAchieved); what becomes of it follows from the log.
 *
 * I1  follow() appends whatever must follow from a run's log and is not there yet, under ids that are read or derived
 *     from it. So it may be called by anybody, again, and by several at once: a crash anywhere is followed by another.
 * I2  The new run is requested before the one that improves it: whoever sees the improvement end finds the run that
 *     waits for it, or (I3) what it takes to request it.
 * I3  A key may be used for two things at once, and only the log of the run it names tells which came first. So with a
 *     key the wish is recorded last, when that run is this wish's: whoever loses has left nothing in the old run's log.
 *     The improving run is requested first then and says what was asked for; when it ends, the rest follows from it.
 */
export class RunRetries {
  readonly #handler: RunCommandHandler;
  readonly #runs: RetryRuns;

  constructor(
    private readonly ports: SessionPorts,
    private readonly options: RetryOptions,
  ) {
    this.#handler = new RunCommandHandler(ports);
    this.#runs = new RetryRuns(ports, options.improver);
  }

  /** A new run in place of one that has ended; it can be read at once, and waits until it was improved. */
  async retry({ tenantId, userId: by }: Caller, runId: RunId, note?: string, key?: string): Promise<RetryCreated> {
    await this.requireAgents({ tenantId, runId });
    const retryRunId = key === undefined ? this.options.newRunId() : await runIdOfKey(tenantId, key);
    const next = { tenantId, runId: retryRunId };
    const noted = note === undefined ? {} : { note };
    const wish = { kind: 'RequestRetry', tenantId, runId, by, ...noted, retryRunId } as const;
    if (key !== undefined) await this.claim(wish, next); // I3
    await this.#handler.handle(wish);
    await this.follow({ tenantId, runId });
    return { runId: retryRunId, improvementRunId: await improvementRunOf(next) };
  }

  /** Neither the new run nor the one that improves it may wait for an agent that will never come. */
  private async requireAgents(ref: RunRef): Promise<void> {
    const requested = await this.#runs.requestOf(ref);
    if (!requested) return; // refused for that further on
    for (const agent of [this.options.improver, requested.agent]) await this.options.agents.requireAgent(agent);
  }

  /** What somebody who is to do better has to know of a run: bounded, whatever its size. */
  async improvement(ref: RunRef): Promise<RunImprovement> {
    const events = await this.historyOf(ref);
    const run = fold(events);
    if (run.status === 'ABSENT') throw new RunRefused('RUN_NOT_FOUND', ref);
    return { runId: ref.runId, agent: run.agent, status: run.status, ...improvementHints(events) };
  }

  /** Told of a wish, or of an end that concerns other runs and is about to come. */
  async heard({ kind, ...run }: Told, { place, attempt }: Pick<Delivery, 'place' | 'attempt'>): Promise<Outcome> {
    const hasEnded = await this.follow({ tenantId: run.tenantId, runId: run.runId }, place);
    if (kind !== 'FollowUpDue' || hasEnded) return done;
    return retryAfter(Math.min(LOOK_AGAIN_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_PAUSE_MS));
  }

  /**
   * Resolves when everything that follows from the run's log up to `atLeast`, of retries and improvements, is in the log (I1):
   * with whether the run has ended by then.
   */
  async follow({ tenantId, runId }: RunRef, atLeast: AtLeast = 'now'): Promise<boolean> {
    const events = await this.historyOf({ tenantId, runId }, atLeast);
    const requested = events.find((event) => event.kind === 'RunRequested');
    if (!requested) return false;
    for (const retry of events.filter(isRetry)) await this.carryOut(retry, requested, events);
    const end = events.find(isTerminal);
    if (end) await this.afterEnd(end, requested, events);
    return end !== undefined;
  }

  private async historyOf(ref: RunRef, atLeast: AtLeast = 'now'): Promise<RunEvent[]> {
    return (await this.ports.log.read(ref, undefined, { atLeast })).events;
  }

  /** I3. Rejects when the wish makes no sense, and with RUN_EXISTS when its key stands for something else. */
  private async claim(wish: RequestRetry, next: RunRef): Promise<void> {
    const { tenantId, runId, by, note } = wish;
    const taken = await this.#runs.requestOf(next);
    if (taken && taken.retryOf !== runId) throw new RunRefused('RUN_EXISTS', next);
    const events = await this.historyOf({ tenantId, runId });
    const requested = events.find((event) => event.kind === 'RunRequested');
    if (decide(wish, fold(events)).length === 0 || !requested) return; // it was recorded before
    const retryAsked = { runId, by, ...(note === undefined ? {} : { note }) };
    const improving = await this.#runs.requestImprovement(next, requested, events, { note, retryAsked });
    if (!isSame(improving.retryAsked, retryAsked)) throw new RunRefused('RUN_EXISTS', next);
    if (await this.keepClaim(improving, retryAsked, next)) return;
    const reason = `The key of run ${next.runId}, which it was to improve, was used for another one`;
    await this.#handler.handle({ kind: 'CancelRun', tenantId, runId: improving.runId, requestedBy: by, reason });
    throw new RunRefused('RUN_EXISTS', next);
  }

  /** Whether the new run is this wish's; then the wish is recorded. */
  private async keepClaim({ tenantId }: RunRef, { runId, by, note }: RetryAsked, next: RunRef): Promise<boolean> {
    const requested = await this.#runs.requestOf({ tenantId, runId });
    if (!requested) throw new RunRefused('RUN_NOT_FOUND', { runId });
    const taken = (await this.#runs.requestOf(next)) ?? (await this.#runs.requestNext(next, requested, false));
    if (taken.retryOf !== runId) return false;
    const noted = note === undefined ? {} : { note };
    await this.#handler.handle({ kind: 'RequestRetry', tenantId, runId, by, ...noted, retryRunId: next.runId });
    return true;
  }

  private async carryOut(retry: Retry, requested: Requested, events: readonly RunEvent[]): Promise<void> {
    const next = { tenantId: retry.tenantId, runId: retry.retryRunId };
    const taken =
      (await this.#runs.requestOf(next)) ?? (await this.#runs.requestNext(next, requested, retry.automatic ?? false)); // I2
    if (taken.retryOf !== retry.runId) return; // a key that was used for another run meanwhile
    const improver = { tenantId: retry.tenantId, runId: await improvementRunOf(next) };
    if (!(await this.#runs.requestOf(improver))) {
      const before = events.slice(0, retry.position); // what was known when the wish was made, whoever comes here, and when
      await this.#runs.requestImprovement(next, requested, before, { note: retry.note });
    }
    const achieved = events.find((event) => event.kind === 'GoalAchieved');
    if (!achieved || achieved.position < retry.position) return; // who asks for one more after Done wants it to run
    await this.#handler.handle({ kind: 'AchieveGoal', ...next, by: achieved.by, note: doneWith(requested) });
  }

  private async afterEnd(end: Ended, requested: Requested, events: readonly RunEvent[]): Promise<void> {
    const { tenantId, runId, userId: by, improves, improvedBy, retryAsked, retryOnFailure } = requested;
    if (end.kind === 'RunFailed' && retryOnFailure !== undefined) {
      const retryRunId = await automaticRetryOf(requested);
      await this.#handler.handle({ kind: 'RetryAfterFailure', tenantId, runId, by, retryRunId });
    }
    if (improves !== undefined) {
      const outcome = OUTCOMES[end.kind];
      const found = events.some(({ kind }) => kind === 'GoalAchieved') ? '' : improvementIn(end);
      const improvement = found === '' ? {} : { improvement: found };
      const waiting = { tenantId, runId: improves };
      if (retryAsked !== undefined) await this.keepClaim(requested, retryAsked, waiting); // I3
      await this.#handler.handle({
        kind: 'ProvideImprovement',
        ...waiting,
        improvementRunId: runId,
        outcome,
        ...improvement,
      });
    }
    if (improvedBy !== undefined && !events.some(({ kind }) => kind === 'ImprovementProvided')) {
      const reason = `Run ${runId}, which it was to improve, has ended`;
      await this.#handler.handle({ kind: 'CancelRun', tenantId, runId: improvedBy, requestedBy: by, reason });
    }
  }
}

type RetryAsked = NonNullable<Requested['retryAsked']>;
type Ended = RunEventOf<TerminalKind>;

const OUTCOMES = { RunFinished: 'SUCCEEDED', RunFailed: 'FAILED', RunCanceled: 'CANCELED' } as const;
const LONGEST_IMPROVEMENT = 10_000;
/** An end is appended a moment after it was announced, unless the orchestrator dies in between. */
const LOOK_AGAIN_MS = 20;
const LONGEST_PAUSE_MS = 60_000;

type Told = RunRef & { readonly kind: RunEvent['kind'] };

const isRetry = (event: RunEvent): event is Retry => event.kind === 'RetryRequested' && event.retryRunId !== undefined;

const isSame = (asked: RetryAsked | undefined, { runId, by, note }: RetryAsked): boolean =>
  asked?.runId === runId && asked.by === by && asked.note === note;

const improvementIn = (end: Ended): string =>
  end.kind === 'RunFinished' ? bounded(readable(end.output).trim(), LONGEST_IMPROVEMENT) : '';

const doneWith = ({ runId }: Requested): string => `The goal was reached by run ${runId}`;
