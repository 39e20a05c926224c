import { EventInvalid, type RunRef, type TenantId } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import { EMPTY_TAIL, type RequestedRun, type RunLog, type RunRequests, type StorePlace } from '@millrace/ports';
import type { WaitingRun } from './waiting-line.js';

export interface RequestPorts {
  readonly log: RunLog;
  readonly requests: RunRequests;
}

export interface UnreadableRun {
  readonly run: RunRef;
  readonly place: StorePlace;
  readonly error: unknown;
}

export interface FoundWaiting {
  readonly runs: readonly WaitingRun[];
  /** Those of which the log cannot be read, and never will be: they are passed over. */
  readonly unreadable: readonly UnreadableRun[];
}

export interface LocatedRequests {
  readonly places: readonly StorePlace[];
  /** How far the log was searched. */
  readonly through: StorePlace;
}

/** A search goes through all that lies between the requests, so it brings many at once. */
const MOST_LOCATED = 1_000;
/** A run that waits has been requested and perhaps told so; any third event says that it no longer does. */
const EVENTS_OF_A_WAITING_RUN = 2;

/** Which of the tenant's runs that were requested at these places still wait for a slot, asked of the log. */
export async function findWaiting(
  { log, requests }: RequestPorts,
  tenantId: TenantId,
  places: readonly StorePlace[],
): Promise<FoundWaiting> {
  const asked = await requests.at(tenantId, places);
  const unreadable: UnreadableRun[] = [];
  const runs = await Promise.all(
    asked.map(async (request) => {
      try {
        return await stillWaiting(log, tenantId, request);
      } catch (error) {
        if (error instanceof PlatformError && error.redelivery === 'retry') throw error;
        unreadable.push({ run: { tenantId, runId: request.runId }, place: request.streamSequence, error });
        return undefined;
      }
    }),
  );
  return { runs: runs.filter((run) => run !== undefined), unreadable };
}

/** Where the first of the tenant's requests lie between two places; at `to` lies one. */
export async function locateRequests(
  requests: RunRequests,
  tenantId: TenantId,
  { from, to }: { readonly from: StorePlace; readonly to: StorePlace },
): Promise<LocatedRequests> {
  const found = await requests.page(tenantId, from, MOST_LOCATED, to);
  const places = found.map(({ streamSequence }) => streamSequence);
  return { places: places.filter((place) => place <= to), through: Math.min(places.at(-1) ?? to, to) };
}

async function stillWaiting(
  log: RunLog,
  tenantId: TenantId,
  { runId, streamSequence }: RequestedRun,
): Promise<WaitingRun | undefined> {
  const options = { limit: EVENTS_OF_A_WAITING_RUN + 1, atLeast: streamSequence };
  const { events } = await log.read({ tenantId, runId }, EMPTY_TAIL, options);
  const [requested, queued] = events;
  if (requested?.kind !== 'RunRequested') throw new EventInvalid(`Run ${runId} does not begin with its request`);
  if (requested.improvedBy !== undefined) return undefined; // never left to the log
  if (events.length > EVENTS_OF_A_WAITING_RUN || (queued && queued.kind !== 'RunQueued')) return undefined;
  return { tenantId, runId, agent: requested.agent, isQueued: queued !== undefined, streamSequence };
}
