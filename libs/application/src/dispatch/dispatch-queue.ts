import { assertNever } from '@millrace/kernel';
import { type RunEvent, type RunEventKind, RunId, type RunRef, type TenantId } from '@millrace/contracts';

/** How many runs may be active at a time, and how fast a tenant's may start. */
export interface DispatchLimits {
  readonly maxActive: number;
  readonly maxActivePerTenant: number;
  readonly startsPerSecondPerTenant?: number | undefined;
}

export interface WaitingRun extends RunRef {
  readonly agent: string;
  readonly isQueued: boolean;
}

/** What the dispatcher knows, as it is saved for whoever takes over. */
export interface DispatchSnapshot {
  readonly waiting: readonly WaitingRun[];
  /** Requested, and not to be started before their improvement is there. */
  readonly held?: readonly WaitingRun[];
  readonly active: readonly RunRef[];
}

interface Tenant {
  readonly waiting: Map<string, WaitingRun>;
  readonly active: Set<string>;
  /** When it was served last, counted in turns. */
  servedAt: number;
  /** Starts it has in hand, refilled as time passes. */
  credit: number;
  creditAt: number;
}

/** The kinds this is a fold of. */
export const DISPATCH_KINDS = [
  'RunRequested',
  'ImprovementProvided',
  'GoalAchieved',
  'RunQueued',
  'RunStarted',
  'RunCancelRequested',
  'RunFinished',
  'RunFailed',
  'RunCanceled',
  'NodeSuspended',
  'InputProvided',
  'InputExpired',
] as const satisfies readonly RunEventKind[];
type DispatchEvent = Extract<RunEvent, { kind: (typeof DISPATCH_KINDS)[number] }>;

const isDispatchEvent = (event: RunEvent): event is DispatchEvent =>
  (DISPATCH_KINDS as readonly RunEventKind[]).includes(event.kind);

/**
 * Which run is next. A fold of the log, without a clock of its own: tenants take turns, and within a tenant who came
 * first is first. A run that waits for a person holds no place; it has one again when it is answered, whatever the caps
 * say then, since it was let in once.
 */
export class DispatchQueue {
  readonly #tenants = new Map<TenantId, Tenant>();
  /** Taken to be started; until the log says that they are, whoever takes over must start them. */
  readonly #starting = new Map<string, WaitingRun>();
  readonly #held = new Map<string, WaitingRun>();
  #active = 0;
  #turn = 0;

  constructor(private readonly limits: DispatchLimits) {}

  take(event: RunEvent): void {
    if (!isDispatchEvent(event)) return;
    switch (event.kind) {
      case 'RunRequested':
        this.requested(event);
        return;
      case 'ImprovementProvided':
      case 'GoalAchieved':
        this.release(event);
        return;
      case 'RunQueued':
        this.queued(event);
        break;
      case 'RunStarted':
      case 'InputProvided':
      case 'InputExpired':
        this.activate(event);
        break;
      case 'NodeSuspended':
        this.deactivate(event);
        break;
      case 'RunCancelRequested': // the orchestrator ends it; it must not start any more
        this.#held.delete(event.runId);
        this.#tenants.get(event.tenantId)?.waiting.delete(event.runId);
        break;
      case 'RunFinished':
      case 'RunFailed':
      case 'RunCanceled':
        this.#held.delete(event.runId);
        this.#tenants.get(event.tenantId)?.waiting.delete(event.runId);
        this.deactivate(event);
        break;
      default:
        assertNever(event);
    }
    this.#starting.delete(event.runId); // the log says what has become of it
  }

  /** It has been told that it waits. */
  queued({ tenantId, runId }: RunRef): void {
    const waiting = this.#tenants.get(tenantId)?.waiting;
    const run = waiting?.get(runId);
    if (run) waiting?.set(runId, { ...run, isQueued: true });
  }

  /** The next run to start, taken from the queue and counted as active; undefined when none may start now. */
  next(nowMs: number): WaitingRun | undefined {
    if (this.#active >= this.limits.maxActive) return undefined;
    const tenant = this.nextTenant(nowMs);
    const [run] = tenant?.waiting.values() ?? [];
    if (!tenant || !run) return undefined;
    tenant.waiting.delete(run.runId);
    tenant.servedAt = this.#turn += 1;
    if (this.limits.startsPerSecondPerTenant !== undefined) tenant.credit -= 1;
    this.activate(run);
    this.#starting.set(run.runId, run);
    return run;
  }

  /** A run that could not be started after all waits again, before the others of its tenant. */
  putBack(run: WaitingRun): void {
    this.#starting.delete(run.runId);
    this.deactivate(run);
    const { waiting } = this.tenant(run.tenantId);
    const others = [...waiting];
    waiting.clear();
    waiting.set(run.runId, run);
    for (const [runId, other] of others) waiting.set(runId, other);
  }

  /** Some that wait and have not been told so. */
  unqueued(most: number): WaitingRun[] {
    const found: WaitingRun[] = [];
    for (const { waiting } of this.#tenants.values()) {
      for (const run of waiting.values()) {
        if (found.length === most) return found;
        if (!run.isQueued) found.push(run);
      }
    }
    return found;
  }

  /** When a start rate, and nothing else, holds a run: how long. */
  nextStartInMs(nowMs: number): number | undefined {
    const rate = this.limits.startsPerSecondPerTenant;
    if (rate === undefined || this.#active >= this.limits.maxActive) return undefined;
    const waits = [...this.#tenants.values()]
      .filter(({ waiting, active }) => waiting.size > 0 && active.size < this.limits.maxActivePerTenant)
      .map((tenant) => Math.max(0, ((1 - this.creditOf(tenant, nowMs)) / rate) * 1_000));
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  get snapshot(): DispatchSnapshot {
    const tenants = [...this.#tenants];
    const waiting = tenants.flatMap(([, tenant]) => [...tenant.waiting.values()]);
    const active = tenants.flatMap(([tenantId, tenant]) =>
      [...tenant.active]
        .filter((runId) => !this.#starting.has(runId))
        .map((runId) => ({ tenantId, runId: RunId.parse(runId) })),
    );
    return { waiting: [...this.#starting.values(), ...waiting], held: [...this.#held.values()], active };
  }

  static from(snapshot: DispatchSnapshot, limits: DispatchLimits): DispatchQueue {
    const queue = new DispatchQueue(limits);
    for (const run of snapshot.waiting) queue.wait(run);
    for (const run of snapshot.held ?? []) queue.#held.set(run.runId, run);
    for (const run of snapshot.active) queue.activate(run);
    return queue;
  }

  private requested({ tenantId, runId, agent, improvedBy }: Extract<RunEvent, { kind: 'RunRequested' }>): void {
    const run = { tenantId, runId, agent, isQueued: false };
    if (improvedBy === undefined) this.wait(run);
    else this.#held.set(runId, run);
  }

  private release({ runId }: RunRef): void {
    const run = this.#held.get(runId);
    if (run) this.wait(run);
    this.#held.delete(runId);
  }

  private wait(run: WaitingRun): void {
    const tenant = this.tenant(run.tenantId);
    if (!tenant.active.has(run.runId) && !tenant.waiting.has(run.runId)) tenant.waiting.set(run.runId, run);
  }

  private activate({ tenantId, runId }: RunRef): void {
    const tenant = this.tenant(tenantId);
    tenant.waiting.delete(runId);
    if (tenant.active.has(runId)) return;
    tenant.active.add(runId);
    this.#active += 1;
  }

  private deactivate({ tenantId, runId }: RunRef): void {
    const tenant = this.#tenants.get(tenantId);
    if (!tenant?.active.delete(runId)) return;
    this.#active -= 1;
    if (tenant.active.size === 0 && tenant.waiting.size === 0) this.#tenants.delete(tenantId);
  }

  private tenant(tenantId: TenantId): Tenant {
    const known = this.#tenants.get(tenantId);
    if (known) return known;
    const credit = this.limits.startsPerSecondPerTenant ?? 0;
    // Just before whoever was served last: it need not wait for all others, nor come first by leaving and coming back.
    const servedAt = this.#turn - 0.5;
    const tenant: Tenant = { waiting: new Map(), active: new Set(), servedAt, credit, creditAt: 0 };
    this.#tenants.set(tenantId, tenant);
    return tenant;
  }

  /** Of those that have a run to start and may, the one that was served longest ago. */
  private nextTenant(nowMs: number): Tenant | undefined {
    let next: Tenant | undefined;
    for (const tenant of this.#tenants.values()) {
      if (tenant.waiting.size === 0 || (next && next.servedAt <= tenant.servedAt)) continue;
      if (this.mayStart(tenant, nowMs)) next = tenant;
    }
    return next;
  }

  private mayStart(tenant: Tenant, nowMs: number): boolean {
    if (tenant.active.size >= this.limits.maxActivePerTenant) return false;
    return this.limits.startsPerSecondPerTenant === undefined || this.creditOf(tenant, nowMs) >= 1;
  }

  private creditOf(tenant: Tenant, nowMs: number): number {
    const rate = this.limits.startsPerSecondPerTenant ?? 0;
    const since = tenant.creditAt === 0 ? 0 : nowMs - tenant.creditAt;
    tenant.credit = Math.min(tenant.credit + (since / 1_000) * rate, Math.max(rate, 1));
    tenant.creditAt = nowMs;
    return tenant.credit;
  }
}
