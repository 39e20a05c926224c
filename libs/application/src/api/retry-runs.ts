import type { RunEvent, RunEventOf, RunRef } from '@millrace/contracts';
import { fold, RunRefused } from '@millrace/run-domain';
import { improvementHints } from '@millrace/run-views';
import type { AtLeast } from '@millrace/ports';
import { RunSession, type SessionPorts } from '../run-session.js';
import { improvementRunOf } from './idempotent-id.js';

export type Requested = RunEventOf<'RunRequested'>;

/** What is told to whoever improves the run, beside what is in the old run's log. */
export type ImprovementWish = Pick<Requested, 'retryAsked'> & { readonly note?: string | undefined };

/** The two runs a retry makes: the one in place of the old one, and the one that improves it before it starts. */
export class RetryRuns {
  constructor(
    private readonly ports: SessionPorts,
    /** The agent that reads what went wrong and says what to do better. */
    private readonly improver: string,
  ) {}

  async requestOf(ref: RunRef, atLeast: AtLeast = 'now'): Promise<Requested | undefined> {
    const [first] = (await this.ports.log.read(ref, undefined, { limit: 1, atLeast })).events;
    return first?.kind === 'RunRequested' ? first : undefined;
  }

  /** The same request once more, to be improved first. One that came by itself uses up one of the retries. */
  async requestNext(next: RunRef, requested: Requested, isAutomatic: boolean): Promise<Requested> {
    const { runId: retryOf, agent, appId, policy, input, userId } = requested;
    const { seedState, threadId, projectId, retryOnFailure } = requested;
    const left = retryOnFailure && { maxRetries: retryOnFailure.maxRetries - (isAutomatic ? 1 : 0) };
    return this.request(next, {
      ...{ agent, appId, policy, input, userId, retryOf, improvedBy: await improvementRunOf(next) },
      ...(seedState === undefined ? {} : { seedState }),
      ...(threadId === undefined ? {} : { threadId }),
      ...(projectId === undefined ? {} : { projectId }),
      ...(left === undefined ? {} : { retryOnFailure: left }),
    });
  }

  /** `before` is what was known of the old run when the wish was made. */
  async requestImprovement(
    next: RunRef,
    requested: Requested,
    before: readonly RunEvent[],
    { note, retryAsked }: ImprovementWish,
  ): Promise<Requested> {
    const { runId, agent, appId, policy, userId, projectId } = requested;
    const { status } = fold(before);
    const input = { runId, agent, status, ...improvementHints(before), ...(note === undefined ? {} : { note }) };
    const improver = { tenantId: next.tenantId, runId: await improvementRunOf(next) };
    return this.request(improver, {
      ...{ agent: this.improver, appId, policy, input, userId, improves: next.runId },
      ...(projectId === undefined ? {} : { projectId }),
      ...(retryAsked === undefined ? {} : { retryAsked }),
    });
  }

  /**
   * Resolves with the request that stands: this one, or an earlier one, which may have been made with other settings or
   * for another wish.
   */
  private async request({ tenantId, runId }: RunRef, order: Order): Promise<Requested> {
    const standing: Requested[] = [];
    const session = RunSession.unread(this.ports, { tenantId, runId }, (event) => {
      if (event.kind === 'RunRequested') standing.push(event);
    });
    try {
      await session.execute({ ...order, kind: 'RequestRun', tenantId, runId });
    } catch (error) {
      if (!(error instanceof RunRefused) || error.code !== 'RUN_EXISTS') throw error;
    }
    return standing[0]!; // whoever appended it, the session was told
  }
}

type Order = Omit<Requested, keyof RunRef | 'kind' | 'eventId' | 'position' | 'ts' | 'version' | 'sequence'>;
