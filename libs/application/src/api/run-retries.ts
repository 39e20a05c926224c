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
import { fold, RunRefused } from '@millrace/run-domain';
import { bounded, improvementHints, readable } from '@millrace/run-views';
import { RunCommandHandler } from '../run-command-handler.js';
import type { SessionPorts } from '../run-session.js';
import { automaticRetryOf, improvementRunOf, runIdOfKey } from './idempotent-id.js';
import type { Caller } from './run-orders.js';

export interface RetryOptions {
  /** The agent that reads what went wrong and says what to do better. */
  readonly improver: string;
  readonly newRunId: () => RunId;
}

type Requested = RunEventOf<'RunRequested'>;
type Retry = RunEventOf<'RetryRequested'> & { readonly retryRunId: RunId };

/**
 * One wish is one event (RetryRequested, GoalAchieved); what becomes of it follows from the log.
 *
 * I1  follow() appends whatever must follow from a run's log and is not there yet, under ids that are read or derived
 *     from it. So it may be called by anybody, again, and by several at once: a crash anywhere is followed by another.
 * I2  The new run is requested before the one that improves it: whoever sees the improvement end finds the run that
 *     waits for it.
 */
export class RunRetries {
  readonly #handler: RunCommandHandler;

  constructor(
    private readonly ports: SessionPorts,
    private readonly options: RetryOptions,
  ) {
    this.#handler = new RunCommandHandler(ports);
  }

  /** A new run in place of one that has ended; it can be read at once, and waits until it was improved. */
  async retry({ tenantId, userId: by }: Caller, runId: RunId, note?: string, key?: string): Promise<RetryCreated> {
    const retryRunId = key === undefined ? this.options.newRunId() : await runIdOfKey(tenantId, key);
    const next = { tenantId, runId: retryRunId };
    const taken = await this.requestOf(next);
    if (taken && taken.retryOf !== runId) throw new RunRefused('RUN_EXISTS', next);
    const noted = note === undefined ? {} : { note };
    await this.#handler.handle({ kind: 'RequestRetry', tenantId, runId, by, ...noted, retryRunId });
    await this.follow({ tenantId, runId });
    return { runId: retryRunId, improvementRunId: await improvementRunOf(next) };
  }

  /** What somebody who is to do better has to know of a run: bounded, whatever its size. */
  async improvement(ref: RunRef): Promise<RunImprovement> {
    const { events } = await this.ports.log.read(ref);
    const run = fold(events);
    if (run.status === 'ABSENT') throw new RunRefused('RUN_NOT_FOUND', ref);
    return { runId: ref.runId, agent: run.agent, status: run.status, ...improvementHints(events) };
  }

  /** Resolves when everything that follows from the run's log, of retries and improvements, is in the log. I1 */
  async follow({ tenantId, runId }: RunRef): Promise<void> {
    const ref = { tenantId, runId };
    const { events } = await this.ports.log.read(ref);
    const requested = events.find((event) => event.kind === 'RunRequested');
    if (!requested) return;
    for (const retry of events.filter(isRetry)) await this.carryOut(retry, requested, events);
    const end = events.find(isTerminal);
    if (end) await this.afterEnd(end, requested, events);
  }

  /** Whether its end concerns anybody but itself: most runs' does not, and is not worth reading them whole. */
  async isFollowed(ref: RunRef): Promise<boolean> {
    const requested = await this.requestOf(ref);
    return [requested?.improves, requested?.improvedBy, requested?.retryOnFailure].some((link) => link !== undefined);
  }

  private async carryOut(retry: Retry, requested: Requested, events: readonly RunEvent[]): Promise<void> {
    const next = { tenantId: retry.tenantId, runId: retry.retryRunId };
    const improver = { tenantId: retry.tenantId, runId: await improvementRunOf(next) };
    const taken = await this.requestOf(next);
    if (taken && taken.retryOf !== retry.runId) return; // a key that was used for another run meanwhile
    if (!taken) await this.requestRun(next, { ...sameAgain(requested, retry), improvedBy: improver.runId }); // I2
    if (!(await this.requestOf(improver))) await this.requestImprovement(improver, next, retry, requested, events);
    const achieved = events.find((event) => event.kind === 'GoalAchieved');
    if (!achieved || achieved.position < retry.position) return; // who asks for one more after Done wants it to run
    await this.#handler.handle({ kind: 'AchieveGoal', ...next, by: achieved.by, note: doneWith(requested) });
  }

  private async requestImprovement(
    improver: RunRef,
    { runId: improves }: RunRef,
    { note, position }: Retry,
    { agent, appId, policy, userId, projectId, runId }: Requested,
    events: readonly RunEvent[],
  ): Promise<void> {
    const before = events.slice(0, position); // what was known when the wish was made, whoever comes here, and when
    const { status } = fold(before);
    const input = { runId, agent, status, ...improvementHints(before), ...(note === undefined ? {} : { note }) };
    const project = projectId === undefined ? {} : { projectId };
    await this.requestRun(improver, {
      agent: this.options.improver,
      appId,
      policy,
      input,
      userId,
      improves,
      ...project,
    });
  }

  private async afterEnd(end: Ended, requested: Requested, events: readonly RunEvent[]): Promise<void> {
    const { tenantId, runId, userId: by, improves, improvedBy, retryOnFailure } = requested;
    if (end.kind === 'RunFailed' && retryOnFailure !== undefined) {
      const retryRunId = await automaticRetryOf(requested);
      await this.#handler.handle({ kind: 'RetryAfterFailure', tenantId, runId, by, retryRunId });
    }
    if (improves !== undefined) {
      const outcome = OUTCOMES[end.kind];
      const found = events.some(({ kind }) => kind === 'GoalAchieved') ? '' : improvementIn(end);
      const improvement = found === '' ? {} : { improvement: found };
      const waiting = { tenantId, runId: improves };
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

  private async requestRun(ref: RunRef, order: Omit<Requested, keyof RunRef | StampedField>): Promise<void> {
    try {
      await this.#handler.handle({ ...order, kind: 'RequestRun', ...ref });
    } catch (error) {
      // Somebody else was faster, perhaps one who is configured otherwise: theirs stands.
      if (!(error instanceof RunRefused) || error.code !== 'RUN_EXISTS') throw error;
    }
  }

  private async requestOf(ref: RunRef): Promise<Requested | undefined> {
    const [first] = (await this.ports.log.read(ref, undefined, 1)).events;
    return first?.kind === 'RunRequested' ? first : undefined;
  }
}

type StampedField = 'kind' | 'eventId' | 'position' | 'ts' | 'version' | 'sequence';
type Ended = RunEventOf<TerminalKind>;

const OUTCOMES = { RunFinished: 'SUCCEEDED', RunFailed: 'FAILED', RunCanceled: 'CANCELED' } as const;
const LONGEST_IMPROVEMENT = 10_000;

const isRetry = (event: RunEvent): event is Retry => event.kind === 'RetryRequested' && event.retryRunId !== undefined;

/** The same request once more. One that came by itself uses up one of the retries. */
const sameAgain = (requested: Requested, { automatic, runId: retryOf }: Retry) => {
  const { agent, appId, policy, input, userId, seedState, threadId, projectId, retryOnFailure } = requested;
  const left = retryOnFailure && { maxRetries: retryOnFailure.maxRetries - (automatic ? 1 : 0) };
  return {
    ...{ agent, appId, policy, input, userId, retryOf },
    ...(seedState === undefined ? {} : { seedState }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(left === undefined ? {} : { retryOnFailure: left }),
  };
};

const improvementIn = (end: Ended): string =>
  end.kind === 'RunFinished' ? bounded(readable(end.output).trim(), LONGEST_IMPROVEMENT) : '';

const doneWith = ({ runId }: Requested): string => `The goal was reached by run ${runId}`;
