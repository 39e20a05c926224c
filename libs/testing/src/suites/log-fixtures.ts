import { EventId, FACT_FIXTURES, RunId, TenantId, type RunEvent, type RunFact, type RunRef } from '@millrace/contracts';
import { type Appended, EMPTY_TAIL, type EventDraft, type RunLog, StoreUnavailable, type Tail } from '@millrace/ports';
import { ulid } from 'ulid';

export interface OpenedRunLog {
  readonly log: RunLog;
  /** The same log as another process sees it. */
  another(): Promise<RunLog>;
  close(): Promise<void>;
}

/** A run of its own for each test, so that suites need no clean store. */
export const aNewRun = (): RunRef => ({ tenantId: TenantId.parse(ulid()), runId: RunId.parse(ulid()) });

export const draftOf = (fact: RunFact): EventDraft => ({
  ...fact,
  eventId: EventId.parse(ulid()),
  ts: '2026-01-12T10:00:00.000Z',
});

export const requested = (): EventDraft => draftOf(FACT_FIXTURES.RunRequested);
export const started = (): EventDraft => draftOf(FACT_FIXTURES.RunStarted);
export const token = (text: string): EventDraft => draftOf({ ...FACT_FIXTURES.TokenDelta, text });
/** Internal, and as small as a token. */
export const effect = (key: string): EventDraft => draftOf({ ...FACT_FIXTURES.EffectRecorded, key });

/** As every writer must: a store that is away for a moment (a cluster that elects) is asked again with the same event. */
export async function appendSurely(log: RunLog, run: RunRef, draft: EventDraft, tail: Tail): Promise<Appended> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await log.append(run, draft, tail);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || attempt === 10) throw error;
    }
  }
}

/** Appends one after the other, each behind the last. */
export async function appendAll(log: RunLog, run: RunRef, drafts: readonly EventDraft[], from = EMPTY_TAIL) {
  let tail: Tail = from;
  const events: RunEvent[] = [];
  for (const draft of drafts) {
    const appended = await appendSurely(log, run, draft, tail);
    events.push(appended.event);
    tail = appended.tail;
  }
  return { events, tail };
}

export const sequenceOf = (event: RunEvent): number | undefined => ('sequence' in event ? event.sequence : undefined);

/** Reads until `count` events have come, then stops. */
export async function take(events: AsyncIterable<RunEvent>, count: number): Promise<RunEvent[]> {
  const taken: RunEvent[] = [];
  if (count === 0) return taken;
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

/** Reads until the predicate holds for an event, which is the last of them. */
export async function takeUntil(
  events: AsyncIterable<RunEvent>,
  isLast: (event: RunEvent) => boolean,
): Promise<RunEvent[]> {
  const taken: RunEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (isLast(event)) break;
  }
  return taken;
}
