import type { RunDetail, RunLogLine, RunRef, RunSaidMessage, RunStep, TenantId, TrailLine } from '@millrace/contracts';
import type { RunLog, StorePlace } from '@millrace/ports';
import type { InputRequestRow, MessageRow, RunLogRow, RunRow, StepRow, TrailRow } from '@millrace/run-views';
import { LogRunQueries } from './log-run-queries.js';
import { detailOf, logLinesOf, messagesOf, stepOf, trailOf } from './run-answers.js';
import { type PublicPage, RunQueries } from './run-queries.js';

/** What a projection keeps of runs. It may lag behind the log, and may be away. */
export interface StoredRuns {
  get(tenantId: TenantId, runId: string): Promise<RunRow | undefined>;
  steps(tenantId: TenantId, runId: string): Promise<StepRow[]>;
  messages(tenantId: TenantId, runId: string): Promise<MessageRow[]>;
  inputRequests(tenantId: TenantId, runId: string): Promise<InputRequestRow[]>;
  logs(tenantId: TenantId, runId: string): Promise<RunLogRow[]>;
  trail(tenantId: TenantId, runId: string): Promise<TrailRow[]>;
}

/** Whether rows can be read at all, so that not every question waits for a database that is away. */
export interface StoreHealth {
  isAvailable(): boolean;
  /** The rows could not be read; the log answers. */
  failed(error: unknown): void;
}

export interface StoredRunOptions {
  readonly health: StoreHealth;
  /** A history up to this many events is read as fast as its rows are. */
  readonly shortHistory?: number;
}

/**
 * Answers from stored rows when a history is long and the rows are as far as the log, else from the log.
 *
 * I1 whether a run exists is for the log to say: a run can be read as soon as its request is stored.
 * I2 a run's own row is looked at first and the log's tail is compared with it; the other rows are read after that. Rows
 *    of one event change in one transaction, so what is read is at least as new as the log was when it was asked.
 */
export class StoredRunQueries extends RunQueries {
  readonly #fromLog: LogRunQueries;

  constructor(
    private readonly log: RunLog,
    private readonly stored: StoredRuns,
    private readonly options: StoredRunOptions,
  ) {
    super();
    this.#fromLog = new LogRunQueries(log);
  }

  async requireRun(ref: RunRef): Promise<void> {
    await this.#fromLog.requireRun(ref);
  }

  events(ref: RunRef, fromSequence: number, limit: number): Promise<PublicPage> {
    return this.#fromLog.events(ref, fromSequence, limit);
  }

  async detail(ref: RunRef): Promise<RunDetail> {
    const fromRows = await this.whenCurrent(ref, async (run) =>
      detailOf(run, run.finishedAt === null ? await this.stored.inputRequests(ref.tenantId, ref.runId) : []),
    );
    return fromRows ?? this.#fromLog.detail(ref);
  }

  async steps(ref: RunRef): Promise<RunStep[]> {
    const rows = await this.whenCurrent(ref, () => this.stored.steps(ref.tenantId, ref.runId));
    return rows ? rows.map(stepOf) : this.#fromLog.steps(ref);
  }

  async messages(ref: RunRef): Promise<RunSaidMessage[]> {
    const rows = await this.whenCurrent(ref, () => this.stored.messages(ref.tenantId, ref.runId));
    return rows ? messagesOf(rows) : this.#fromLog.messages(ref);
  }

  async logs(ref: RunRef): Promise<RunLogLine[]> {
    const rows = await this.whenCurrent(ref, () => this.stored.logs(ref.tenantId, ref.runId));
    return rows ? logLinesOf(rows) : this.#fromLog.logs(ref);
  }

  async trail(ref: RunRef): Promise<TrailLine[]> {
    const rows = await this.whenCurrent(ref, () => this.stored.trail(ref.tenantId, ref.runId));
    return rows ? trailOf(rows) : this.#fromLog.trail(ref);
  }

  /** Undefined when the log has to answer. */
  private async whenCurrent<T>(ref: RunRef, read: (run: RunRow) => Promise<T>): Promise<T | undefined> {
    const { position, streamSequence: atLeast } = await this.#fromLog.requireRun(ref); // I1
    const { health, shortHistory = SHORT_HISTORY } = this.options;
    if (position < shortHistory || !health.isAvailable()) return undefined;
    const run = await this.ifThere(this.stored.get(ref.tenantId, ref.runId));
    return run && (await this.isCurrent(ref, run, atLeast)) ? this.ifThere(read(run)) : undefined; // I2
  }

  private async ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
    try {
      return await reading;
    } catch (error) {
      this.options.health.failed(error);
      return undefined;
    }
  }

  /** Deltas change no row. */
  private async isCurrent(ref: RunRef, { lastPosition }: RunRow, atLeast: StorePlace): Promise<boolean> {
    const rest = await this.log.read(ref, { position: lastPosition + 1 }, { limit: MOST_DELTAS, atLeast });
    return !rest.hasMore && rest.events.every(({ kind }) => kind === 'TokenDelta' || kind === 'ThoughtDelta');
  }
}

const SHORT_HISTORY = 100;

/** A node that has said more than this since its last event is as well read from the log. */
const MOST_DELTAS = 1_000;
