import type { Caller, RunOrder, ThreadOrders } from '@millrace/application';
import { RequestInvalid } from '@millrace/nest-kit/http';

type Order = Pick<RunOrder, 'threadId' | 'projectId'>;

/** A run in a thread is of the thread's project, like every message there. Rejects when there is no such thread. */
export async function projectFor(
  { tenantId }: Caller,
  { threadId, projectId }: Order,
  threads: Pick<ThreadOrders, 'find'>,
): Promise<Pick<Order, 'projectId'>> {
  if (threadId === undefined) return {};
  const thread = await threads.find(tenantId, threadId);
  if (thread.projectId === undefined) return {};
  if (projectId === undefined || projectId === thread.projectId) return { projectId: thread.projectId };
  throw new RequestInvalid([{ field: 'projectId', message: 'must be the project of the thread, or left out' }]);
}
