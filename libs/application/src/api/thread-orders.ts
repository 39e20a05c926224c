import type { RunId, TenantId, ThreadEvent, ThreadId } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { Clock, EventIds, ThreadLog } from '@millrace/ports';
import type { AgentChecks } from './agent-checks.js';
import { threadIdOfKey } from './idempotent-id.js';
import type { Caller, RunOrder, RunOrders } from './run-orders.js';

const REASONS = {
  THREAD_NOT_FOUND: 'No such thread.',
  THREAD_EXISTS: 'This thread was created before, with other content.',
} as const;

export class ThreadRefused extends PlatformError {
  readonly redelivery = 'park';

  constructor(readonly code: keyof typeof REASONS) {
    super(REASONS[code]);
  }
}

export interface ThreadPorts {
  readonly threads: ThreadLog;
  readonly orders: RunOrders;
  readonly agents: Pick<AgentChecks, 'requireAgent'>;
  readonly ids: EventIds;
  readonly clock: Clock;
}

type NewThread = Pick<ThreadEvent, 'agent' | 'title' | 'projectId'>;

/** Conversations: created once, and each message in one is a run. */
export class ThreadOrders {
  constructor(
    private readonly ports: ThreadPorts,
    private readonly newThreadId: () => ThreadId,
  ) {}

  /** With a key, a repeat resolves with the thread that is there; rejects when it asks for another. */
  async create({ tenantId, userId }: Caller, thread: NewThread, key?: string): Promise<ThreadId> {
    const { threads, agents, ids, clock } = this.ports;
    const { agent, title, projectId } = thread;
    if (agent !== undefined) await agents.requireAgent(agent);
    const threadId = key === undefined ? this.newThreadId() : await threadIdOfKey(tenantId, key);
    const stored = await threads.create({
      ...{ kind: 'ThreadCreated', version: '1', tenantId, threadId, position: 0, by: userId },
      ...{ eventId: ids.next(), ts: clock.now().toISOString() },
      ...(agent === undefined ? {} : { agent }),
      ...(title === undefined ? {} : { title }),
      ...(projectId === undefined ? {} : { projectId }),
    });
    const isSame = stored.agent === agent && stored.title === title && stored.projectId === projectId;
    if (!isSame || stored.by !== userId) throw new ThreadRefused('THREAD_EXISTS');
    return threadId;
  }

  async find(tenantId: TenantId, threadId: ThreadId): Promise<ThreadEvent> {
    const thread = await this.ports.threads.find({ tenantId, threadId });
    if (!thread) throw new ThreadRefused('THREAD_NOT_FOUND');
    return thread;
  }

  /** One message is one run, in the thread's project, of the thread's own agent when it has one. */
  async say(caller: Caller, threadId: ThreadId, order: RunOrder, key?: string): Promise<RunId> {
    const { agent, projectId } = await this.find(caller.tenantId, threadId);
    const own = { ...(agent === undefined ? {} : { agent }), ...(projectId === undefined ? {} : { projectId }) };
    return this.ports.orders.start(caller, { ...order, ...own, threadId }, key);
  }
}
