import type { ThreadEvent } from '@millrace/contracts';
import type { ThreadRow } from './rows.js';
import { moment, storable } from './storable.js';

/** A thread is what its first event says; its runs name it themselves. */
export const foldThread = (events: Iterable<ThreadEvent>): ThreadRow | undefined => {
  for (const event of events) return storable(created(event));
  return undefined;
};

const created = (event: ThreadEvent): ThreadRow => ({
  tenantId: event.tenantId,
  threadId: event.threadId,
  projectId: event.projectId ?? null,
  agent: event.agent ?? null,
  title: event.title ?? null,
  createdBy: event.by,
  createdAt: moment(event.ts),
});
