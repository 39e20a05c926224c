import { RunId, TaskKey, TenantId, ThreadId, TicketId } from './ids.js';
import { isRunEventKind } from './kinds.js';
import type { RunEventKind } from './events/run-event.js';

export interface RunRef {
  readonly tenantId: TenantId;
  readonly runId: RunId;
}
export interface ThreadRef {
  readonly tenantId: TenantId;
  readonly threadId: ThreadId;
}

/** Published again by the stream once stored, for plain subscribers. */
export const LIVE_PREFIX = 'live';

/**
 * The only place subjects are made. Ids are parsed here once more, although their type says they were: what is not a
 * ULID never becomes part of a subject, so neither a dot nor a wildcard can widen what is read or written.
 */
export const subjects = {
  /** All events of one run; also the filter every compare-and-swap names (one string everywhere, ADR 2). */
  run: (ref: RunRef): string => `tenant.${TenantId.parse(ref.tenantId)}.run.${RunId.parse(ref.runId)}.*`,
  event: (event: RunRef & { kind: RunEventKind }): string =>
    `tenant.${TenantId.parse(event.tenantId)}.run.${RunId.parse(event.runId)}.${knownKind(event.kind)}`,
  thread: (ref: ThreadRef): string => `tenant.${TenantId.parse(ref.tenantId)}.thread.${ThreadId.parse(ref.threadId)}.*`,
  threadEvent: (event: ThreadRef & { kind: 'ThreadCreated' }): string =>
    `tenant.${TenantId.parse(event.tenantId)}.thread.${ThreadId.parse(event.threadId)}.ThreadCreated`,
  live: (ref: RunRef): string => `${LIVE_PREFIX}.${subjects.run(ref)}`,
  liveOf: (tenantId: TenantId, kind: RunEventKind | '*' = '*'): string =>
    `${LIVE_PREFIX}.${subjects.everyRunOf(tenantId, kind)}`,
  /** Work to be done. A key holds slashes and brackets, so it travels as base64url. */
  task: (ref: RunRef & { taskKey: string }): string =>
    `tenant.${TenantId.parse(ref.tenantId)}.run.${RunId.parse(ref.runId)}.task.${encodeToken(TaskKey.parse(ref.taskKey))}`,
  /** Events of one kind over all tenants and runs: for consumers and permissions. */
  everyRun: (kind: RunEventKind | '*' = '*'): string => `tenant.*.run.*.${kind === '*' ? kind : knownKind(kind)}`,
  /** Events of one tenant over all of its runs. */
  everyRunOf: (tenantId: TenantId, kind: RunEventKind | '*' = '*'): string =>
    `tenant.${TenantId.parse(tenantId)}.run.*.${kind === '*' ? kind : knownKind(kind)}`,
  everyThread: (): string => 'tenant.*.thread.*.*',
  everyTask: (): string => 'tenant.*.run.*.task.*',
  tasksOf: ({ tenantId, runId }: RunRef): string =>
    `tenant.${TenantId.parse(tenantId)}.run.${RunId.parse(runId)}.task.*`,
  /** That a stream ticket was used. */
  ticket: (ticketId: string): string => `ticket.${TicketId.parse(ticketId)}`,
  everyTicket: (): string => 'ticket.*',
} as const;

export type ParsedSubject =
  | ({ readonly type: 'run'; readonly kind: RunEventKind } & RunRef)
  | ({ readonly type: 'thread'; readonly kind: 'ThreadCreated' } & ThreadRef);

/** Undefined for anything that is not the subject of one event, wildcards included. */
export const parseSubject = (subject: string): ParsedSubject | undefined => {
  const [tenant, tenantId, type, id, kind, ...rest] = subject.split('.');
  if (tenant !== 'tenant' || kind === undefined || rest.length > 0) return undefined;
  const owner = TenantId.safeParse(tenantId);
  if (!owner.success) return undefined;
  if (type === 'run' && isRunEventKind(kind)) {
    const run = RunId.safeParse(id);
    return run.success ? { type, kind, tenantId: owner.data, runId: run.data } : undefined;
  }
  if (type === 'thread' && kind === 'ThreadCreated') {
    const thread = ThreadId.safeParse(id);
    return thread.success ? { type, kind, tenantId: owner.data, threadId: thread.data } : undefined;
  }
  return undefined;
};

const knownKind = (kind: RunEventKind): RunEventKind => {
  if (!isRunEventKind(kind)) throw new TypeError(`Not a kind of run event: ${JSON.stringify(kind)}`);
  return kind;
};

const encodeToken = (text: string): string => {
  const bytes = new TextEncoder().encode(text);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
};
