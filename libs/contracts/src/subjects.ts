import { Name, RunId, TaskKey, TenantId, ThreadId, TicketId, WorkerId } from './ids.js';
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
  /** Live events of one kind, of all runs or of one. */
  liveKind: (kind: RunEventKind, run?: RunRef): string =>
    `${LIVE_PREFIX}.tenant.${run ? TenantId.parse(run.tenantId) : '*'}.run.${run ? RunId.parse(run.runId) : '*'}.${knownKind(kind)}`,
  everyThread: (): string => 'tenant.*.thread.*.*',
  everyTask: (): string => 'tenant.*.run.*.task.*',
  tasksOf: ({ tenantId, runId }: RunRef): string =>
    `tenant.${TenantId.parse(tenantId)}.run.${RunId.parse(runId)}.task.*`,
  /** A run that is to be moved on; no task key is spelled so. */
  runTask: ({ tenantId, runId }: RunRef): string =>
    `tenant.${TenantId.parse(tenantId)}.run.${RunId.parse(runId)}.task.run`,
  /** That a stream ticket was used. */
  ticket: (ticketId: string): string => `ticket.${TicketId.parse(ticketId)}`,
  everyTicket: (): string => 'ticket.*',
  /** Where a timer waits for its time, and where it rings then. */
  timerSet: (ref: RunRef, name: string): string => `timer.set.${timerOf(ref, name)}`,
  timerDue: (ref: RunRef, name: string): string => `timer.due.${timerOf(ref, name)}`,
  everyTimerDue: (): string => 'timer.due.>',
  /** What was announced of one version of an agent. */
  agentVersion: (agent: string, version: string): string =>
    `agent.version.${nameToken(Name.parse(agent))}.${nameToken(Name.parse(version))}`,
  /** That a worker lives. */
  agentWorker: (workerId: WorkerId): string => `agent.worker.${WorkerId.parse(workerId)}`,
  everyAgentMessage: (): string => 'agent.>',
  liveAgentMessages: (): string => `${LIVE_PREFIX}.agent.>`,
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

/** The run a timer rang for; undefined for any other subject. */
export const runOfTimer = (subject: string): RunRef | undefined => {
  const [timer, due, tenantId, runId, name, ...rest] = subject.split('.');
  if (timer !== 'timer' || due !== 'due' || name === undefined || rest.length > 0) return undefined;
  const [tenant, run] = [TenantId.safeParse(tenantId), RunId.safeParse(runId)];
  return tenant.success && run.success ? { tenantId: tenant.data, runId: run.data } : undefined;
};

/** Whose an event, a task or a timer is, by its subject; undefined for what belongs to no run. */
export const runOfSubject = (subject: string): RunRef | undefined => {
  const [tenant, tenantId, type, runId] = subject.split('.');
  if (tenant !== 'tenant' || type !== 'run') return runOfTimer(subject);
  const [owner, run] = [TenantId.safeParse(tenantId), RunId.safeParse(runId)];
  return owner.success && run.success ? { tenantId: owner.data, runId: run.data } : undefined;
};

const timerOf = ({ tenantId, runId }: RunRef, name: string): string =>
  `${TenantId.parse(tenantId)}.${RunId.parse(runId)}.${encodeToken(name)}`;

const knownKind = (kind: RunEventKind): RunEventKind => {
  if (!isRunEventKind(kind)) throw new TypeError(`Not a kind of run event: ${JSON.stringify(kind)}`);
  return kind;
};

/**
 * A name as one token: readable where its characters allow it, with `~` for a dot, else as base64url behind a `=`. No two
 * names share a token.
 */
const nameToken = (name: string): string =>
  /^[\w.-]+$/.test(name) ? name.replaceAll('.', '~') : `=${encodeToken(name)}`;

const encodeToken = (text: string): string => {
  const bytes = new TextEncoder().encode(text);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
};
