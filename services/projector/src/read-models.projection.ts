import {
  type EntityManager,
  isDataRefused,
  type KnownRows,
  type Poison,
  ReadModelTables,
  runKeyOf,
} from '@millrace/adapter-postgres';
import type { RunEvent, ThreadEvent } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { StoredEvent } from '@millrace/ports';
import { foldThread, keysTouched, type RunRows, RunViews } from '@millrace/run-views';
import type { Projection } from './projection.js';

const NAME = 'read-models';

/**
 * All read models together, so that one position tells how fresh every one of them is. What cannot be applied is set
 * aside in `projection_poison` alone: the batch is tried whole, then event by event, each behind a savepoint.
 */
export const readModels: Projection = {
  name: NAME,
  exclude: ['TokenDelta', 'ThoughtDelta'],
  async apply(em, batch) {
    const events = batch.filter((stored) => 'event' in stored);
    const poison = batch.flatMap((stored) => ('invalid' in stored ? [poisonOf(stored, stored.invalid)] : []));
    if ((await applied(em, events)) !== undefined) {
      for (const stored of events) {
        const reason = await applied(em, [stored]);
        if (reason !== undefined) poison.push(poisonOf(stored, reason));
      }
    }
    await new ReadModelTables(em).writePoison(poison);
    return poison;
  },
};

type Readable = Extract<StoredEvent, { event: unknown }>;

/** Resolves with the reason when the events themselves are at fault; what ails the database is thrown. */
async function applied(em: EntityManager, events: readonly Readable[]): Promise<string | undefined> {
  try {
    await em.transactional((inner) => write(new ReadModelTables(inner), events));
    return undefined;
  } catch (error) {
    if (!isDataRefused(error) && (error instanceof PlatformError || isOfDatabase(error))) throw error;
    return error instanceof Error ? (error.message.split('\n').at(0) ?? error.name) : String(error);
  }
}

/** Errors of the driver carry its code; those of a fold do not. */
const isOfDatabase = (error: unknown): boolean => error !== null && typeof error === 'object' && 'code' in error;

async function write(tables: ReadModelTables, events: readonly Readable[]): Promise<void> {
  const byRun = Map.groupBy(
    events.flatMap(({ event }) => ('runId' in event ? [event] : [])),
    runKeyOf,
  );
  const touched = [...byRun.values()].flatMap((ofRun) => {
    const [run] = ofRun;
    return run === undefined ? [] : [{ run, keys: keysTouched(ofRun) }];
  });
  const known = await tables.known(touched);
  await tables.write([...byRun].map(([key, ofRun]) => foldedOn(known.get(key), ofRun)));
  const threads = events.flatMap(({ event }) => ('threadId' in event && !('runId' in event) ? [event] : []));
  await tables.writeThreads(threadsIn(threads));
}

function foldedOn(known: KnownRows | undefined, events: readonly RunEvent[]): RunRows {
  const views = new RunViews(known);
  for (const event of events) views.take(event);
  return views.changes();
}

const threadsIn = (events: readonly ThreadEvent[]) =>
  [...Map.groupBy(events, ({ tenantId, threadId }) => `${tenantId}.${threadId}`).values()].flatMap(
    (ofThread) => foldThread(ofThread) ?? [],
  );

export const poisonOf = (stored: StoredEvent, reason: string): Poison => ({
  projection: NAME,
  streamSequence: stored.streamSequence,
  tenantId: 'event' in stored ? stored.event.tenantId : null,
  runId: 'event' in stored && 'runId' in stored.event ? stored.event.runId : null,
  what: ('event' in stored ? stored.event.kind : stored.subject).replaceAll('\0', '\uFFFD'),
  reason: reason.toWellFormed().replaceAll('\0', '\uFFFD').slice(0, 1_000),
  storedAt: stored.storedAt,
});
