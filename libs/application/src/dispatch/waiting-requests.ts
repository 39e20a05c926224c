import type { TenantId } from '@millrace/contracts';
import { EMPTY_TAIL, type RequestedRun, type RunLog, RunLogUnavailable, type RunRequests } from '@millrace/ports';
import type { LeftToLog, WaitingRun } from './waiting-line.js';

export interface RequestPorts {
  readonly log: RunLog;
  readonly requests: RunRequests;
}

export interface FoundWaiting {
  readonly runs: readonly WaitingRun[];
  /** How far the log was read. */
  readonly through: number;
}

const MOST = 48;
/** A run that waits has been requested and perhaps told so; any third event says that it no longer does. */
const EVENTS_OF_A_WAITING_RUN = 2;

/** The first of the tenant's runs between two places that still wait for a slot, asked of the log. */
export async function findWaiting(
  { log, requests }: RequestPorts,
  tenantId: TenantId,
  { from, to }: LeftToLog,
): Promise<FoundWaiting> {
  const page = await requests.page(tenantId, from, MOST);
  const last = page.at(-1)?.streamSequence ?? 0;
  // At `to` lies a request: who does not have it yet would make us forget runs.
  if (page.length < MOST && last < to) throw new RunLogUnavailable(`Requests of tenant ${tenantId}: a replica lags`);
  const asked = page.filter(({ streamSequence }) => streamSequence <= to);
  const runs = await Promise.all(asked.map((request) => stillWaiting(log, tenantId, request)));
  return { runs: runs.filter((run) => run !== undefined), through: Math.min(last, to) };
}

async function stillWaiting(
  log: RunLog,
  tenantId: TenantId,
  { runId, streamSequence }: RequestedRun,
): Promise<WaitingRun | undefined> {
  const { events } = await log.read({ tenantId, runId }, EMPTY_TAIL, EVENTS_OF_A_WAITING_RUN + 1);
  const [requested, queued] = events;
  if (requested?.kind !== 'RunRequested') throw new RunLogUnavailable(`Run ${runId}: a replica lags`);
  if (requested.improvedBy !== undefined) return undefined; // never left to the log
  if (events.length > EVENTS_OF_A_WAITING_RUN || (queued && queued.kind !== 'RunQueued')) return undefined;
  return { tenantId, runId, agent: requested.agent, isQueued: queued !== undefined, streamSequence };
}
