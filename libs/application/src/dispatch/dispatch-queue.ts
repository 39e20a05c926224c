import { assertNever } from '@millrace/kernel';
import { type RunEvent, type RunEventKind, RunId, type RunRef, type TenantId } from '@millrace/contracts';
import type { StorePlace } from '@millrace/ports';
import type { WaitingRun } from './waiting-line.js';
import { type SavedAgentLine, WaitingLines, type WantedOfAgent } from './waiting-lines.js';

/** How many runs may be active at a time, and how fast a tenant's may start. */
export interface DispatchLimits {
  readonly maxActive: number;
  readonly maxActivePerTenant: number;
  readonly startsPerSecondPerTenant?: number | undefined;
  /** A run that has not moved for so long, and has no message anywhere, stands still. */
  readonly standingAfterMs?: number | undefined;
}

/** What the dispatcher knows, as it is saved for whoever takes over. */
export interface DispatchSnapshot {
  readonly lines: readonly (SavedAgentLine & { readonly tenantId: TenantId })[];
  /** Requested, and not to be started before their improvement is there. */
  readonly held: readonly WaitingRun[];
  readonly active: readonly RunRef[];
  /** Not in snapshots of older code. */
  readonly ending?: readonly RunRef[];
}

/** Runs of a tenant's agent that are to be read from the log, because the front of their line has become short. */
export interface WantedRuns extends WantedOfAgent {
  readonly tenantId: TenantId;
}

/** For the places of all requests that are left to the log: a snapshot is one message. */
const MOST_SAVED_BYTES = 256 * 1024;

interface Tenant {
  readonly waiting: WaitingLines;
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
 * first is first; a run of an agent whose workers are away lets the others pass. A run that waits for a person holds no place; it has one again when it is answered, whatever the caps
 * say then, since it was let in once.
 */
export class DispatchQueue {
  readonly #tenants = new Map<TenantId, Tenant>();
  /** Taken to be started; until the log says that they are, whoever takes over must start them. */
  readonly #starting = new Map<string, WaitingRun>();
  readonly #held = new Map<string, WaitingRun>();
  /** Could not be started just now: they hold no slot, and are not in line until they are put back. */
  readonly #aside = new Map<string, WaitingRun>();
  /** To be looked after although they hold no slot: canceled or declared done and not ended yet, or stranded. */
  readonly #ending = new Map<string, RunRef>();
  #active = 0;
  #turn = 0;

  /** `isServed` tells whether a worker is there for the agent now. */
  constructor(
    private readonly limits: DispatchLimits,
    private readonly isServed: (agent: string) => boolean = () => true,
  ) {}

  /** `streamSequence` is where the log has the event. */
  evolve(event: RunEvent, streamSequence: number): void {
    if (!isDispatchEvent(event)) return;
    switch (event.kind) {
      case 'RunRequested':
        this.requested(event, streamSequence);
        return;
      case 'ImprovementProvided':
        this.improved(event);
        return;
      case 'GoalAchieved':
        this.improved(event);
        this.#ending.set(event.runId, refOf(event));
        return;
      case 'RunQueued':
        this.queued(event);
        return; // it may have been taken to be started since, and this does not say that it was
      case 'RunStarted':
      case 'InputProvided':
      case 'InputExpired':
        this.activate(event);
        break;
      case 'NodeSuspended':
        this.deactivate(event);
        break;
      case 'RunCancelRequested': // the orchestrator ends it; it must not start any more
        this.leave(event);
        this.#ending.set(event.runId, refOf(event));
        break;
      case 'RunFinished':
      case 'RunFailed':
      case 'RunCanceled':
        this.leave(event);
        this.ended(event);
        break;
      default:
        assertNever(event);
    }
    this.#starting.delete(event.runId); // the log says what has become of it
  }

  /** It has been told that it waits. */
  queued({ tenantId, runId }: RunRef): void {
    this.#tenants.get(tenantId)?.waiting.queued(runId);
  }

  /** The next run to start, taken from the queue and counted as active; undefined when none may start now. */
  next(nowMs: number): WaitingRun | undefined {
    if (this.#active >= this.limits.maxActive) return undefined;
    const tenant = this.nextTenant(nowMs);
    const run = tenant?.waiting.first(this.isServed);
    if (!tenant || !run) return undefined;
    tenant.servedAt = this.#turn += 1;
    if (this.limits.startsPerSecondPerTenant !== undefined) tenant.credit -= 1;
    this.activate(run);
    this.#starting.set(run.runId, run);
    return run;
  }

  /** A run that could not be started gives its slot to others, until it is put back; unless the log has spoken of it. */
  putAside(run: WaitingRun): void {
    if (!this.#starting.delete(run.runId)) return;
    this.#aside.set(run.runId, run);
    this.deactivate(run);
  }

  /** Runs that should move, or end: they have been started or told to end, and wait for neither a slot nor a person. */
  get moving(): readonly RunRef[] {
    const active = [...this.#tenants].flatMap(([tenantId, tenant]) =>
      [...tenant.active].map((runId) => ({ tenantId, runId: RunId.parse(runId) })),
    );
    return [...active.filter(({ runId }) => !this.#starting.has(runId)), ...this.#ending.values()];
  }

  /** The log says so. */
  ended(run: RunRef): void {
    this.#ending.delete(run.runId);
    this.deactivate(run);
  }

  /** A run that was taken and cannot start now waits again, before the others of its agent. */
  wait(run: WaitingRun): void {
    this.putAside(run);
    this.putBack(run);
  }

  /** It cannot move before something is mended: until then others have its slot. False when they had it already. */
  strand(run: RunRef): boolean {
    const isNews = !this.#ending.has(run.runId);
    this.deactivate(run);
    this.#ending.set(run.runId, refOf(run));
    return isNews;
  }

  get aside(): readonly WaitingRun[] {
    return [...this.#aside.values()];
  }

  /** It waits again, before the others of its tenant. */
  putBack(run: WaitingRun): void {
    if (this.#aside.delete(run.runId)) this.tenant(run.tenantId).waiting.rejoin(run);
  }

  /** It is not started any more, whatever becomes of it. */
  forget({ runId }: Pick<RunRef, 'runId'>): void {
    this.#aside.delete(runId);
  }

  /** A run that need not be started after all gives its place on; unless the log has spoken of it since it was taken. */
  giveBack(run: WaitingRun): void {
    if (this.#starting.delete(run.runId)) this.deactivate(run);
  }

  /** What the dispatcher should read from the log, and give to {@link refill}, before it waits. */
  wanted(): WantedRuns[] {
    return [...this.#tenants].flatMap(([tenantId, { waiting }]) =>
      waiting.wanted(this.isServed).map((wanted) => ({ tenantId, ...wanted })),
    );
  }

  /** The runs that still wait of those that were wanted, read up to the place `through`. */
  refill({ tenantId, agent }: WantedRuns, through: StorePlace, runs: readonly WaitingRun[]): void {
    const tenant = this.tenant(tenantId);
    tenant.waiting.refill(
      agent,
      through,
      runs.filter((run) => run.agent === agent && !tenant.active.has(run.runId)),
    );
    this.forgetIdle(tenantId, tenant);
  }

  /** The places of requests that are left to the log, all there are up to `through`. */
  locate({ tenantId, agent }: WantedRuns, places: readonly StorePlace[], through: StorePlace): void {
    const tenant = this.tenant(tenantId);
    tenant.waiting.locate(agent, places, through);
    this.forgetIdle(tenantId, tenant);
  }

  /** Some that wait and have not been told so. */
  unqueued(most: number): WaitingRun[] {
    const found: WaitingRun[] = [];
    for (const { waiting } of this.#tenants.values()) {
      for (const run of waiting.unqueued()) {
        if (found.length === most) return found;
        found.push(run);
      }
    }
    return found;
  }

  /** When a start rate, and nothing else, holds a run: how long. */
  nextStartInMs(nowMs: number): number | undefined {
    const rate = this.limits.startsPerSecondPerTenant;
    if (rate === undefined || this.#active >= this.limits.maxActive) return undefined;
    const waits = [...this.#tenants.values()]
      .filter(({ waiting, active }) => active.size < this.limits.maxActivePerTenant && waiting.first(this.isServed))
      .map((tenant) => Math.max(0, ((1 - this.creditOf(tenant, nowMs)) / rate) * 1_000));
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  get snapshot(): DispatchSnapshot {
    const tenants = [...this.#tenants];
    const count = tenants.reduce((sum, [, { waiting }]) => sum + waiting.size, 0);
    const mostBytesEach = Math.floor(MOST_SAVED_BYTES / Math.max(count, 1));
    const lines = tenants.flatMap(([tenantId, { waiting }]) =>
      waiting.save(mostBytesEach).map((line) => ({ tenantId, ...line })),
    );
    // Each in front of its line: whoever takes over must start them.
    const taken = [...this.#starting.values(), ...this.#aside.values()].map((run) => ({
      ...{ tenantId: run.tenantId, agent: run.agent, front: [run], untold: [], left: undefined },
    }));
    const active = tenants.flatMap(([tenantId, tenant]) =>
      [...tenant.active]
        .filter((runId) => !this.#starting.has(runId))
        .map((runId) => ({ tenantId, runId: RunId.parse(runId) })),
    );
    return {
      lines: merged([...taken, ...lines]),
      held: [...this.#held.values()],
      active,
      ending: [...this.#ending.values()],
    };
  }

  static from(
    snapshot: DispatchSnapshot,
    limits: DispatchLimits,
    isServed?: (agent: string) => boolean,
  ): DispatchQueue {
    const queue = new DispatchQueue(limits, isServed);
    for (const [tenantId, lines] of Map.groupBy(snapshot.lines, (line) => line.tenantId)) {
      queue.tenant(tenantId, new WaitingLines(lines));
    }
    for (const run of snapshot.held) queue.#held.set(run.runId, run);
    for (const run of snapshot.active) queue.activate(run);
    for (const run of snapshot.ending ?? []) queue.#ending.set(run.runId, run);
    return queue;
  }

  private requested(event: Extract<RunEvent, { kind: 'RunRequested' }>, streamSequence: number): void {
    const { tenantId, runId, agent, improvedBy } = event;
    const run = { tenantId, runId, agent, isQueued: false, streamSequence };
    if (improvedBy === undefined) this.joinLine(run);
    else this.#held.set(runId, run);
  }

  private improved({ tenantId, runId }: RunRef): void {
    const run = this.#held.get(runId);
    this.#held.delete(runId);
    if (!run) return;
    const tenant = this.tenant(tenantId);
    if (!tenant.active.has(runId)) tenant.waiting.joinFront(run);
  }

  private joinLine(run: WaitingRun): void {
    const tenant = this.tenant(run.tenantId);
    if (!tenant.active.has(run.runId)) tenant.waiting.join(run);
  }

  private leave({ tenantId, runId }: RunRef): void {
    this.#held.delete(runId);
    this.#aside.delete(runId);
    this.#tenants.get(tenantId)?.waiting.leave(runId);
  }

  private activate({ tenantId, runId }: RunRef): void {
    const tenant = this.tenant(tenantId);
    this.#aside.delete(runId);
    tenant.waiting.leave(runId);
    if (tenant.active.has(runId)) return;
    tenant.active.add(runId);
    this.#active += 1;
  }

  private deactivate({ tenantId, runId }: RunRef): void {
    const tenant = this.#tenants.get(tenantId);
    if (!tenant?.active.delete(runId)) return;
    this.#active -= 1;
    this.forgetIdle(tenantId, tenant);
  }

  private forgetIdle(tenantId: TenantId, { active, waiting }: Tenant): void {
    if (active.size === 0 && waiting.isEmpty) this.#tenants.delete(tenantId);
  }

  private tenant(tenantId: TenantId, waiting = new WaitingLines()): Tenant {
    const known = this.#tenants.get(tenantId);
    if (known) return known;
    const credit = this.limits.startsPerSecondPerTenant ?? 0;
    // Just before whoever was served last: it need not wait for all others, nor come first by leaving and coming back.
    const servedAt = this.#turn - 0.5;
    const tenant: Tenant = { waiting, active: new Set(), servedAt, credit, creditAt: 0 };
    this.#tenants.set(tenantId, tenant);
    return tenant;
  }

  /** Of those that have a run to start and may, the one that was served longest ago. */
  private nextTenant(nowMs: number): Tenant | undefined {
    let next: Tenant | undefined;
    for (const tenant of this.#tenants.values()) {
      if (next && next.servedAt <= tenant.servedAt) continue;
      if (this.mayStart(tenant, nowMs) && tenant.waiting.first(this.isServed)) next = tenant;
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

const refOf = ({ tenantId, runId }: RunRef): RunRef => ({ tenantId, runId });

type SavedTenantLine = DispatchSnapshot['lines'][number];

/** Lines of the same agent and tenant become one, the first of them in front. */
const merged = (lines: readonly SavedTenantLine[]): SavedTenantLine[] => {
  const merged = new Map<string, SavedTenantLine>();
  for (const line of lines) {
    const key = JSON.stringify([line.tenantId, line.agent]);
    const before = merged.get(key);
    merged.set(key, before ? { ...line, front: [...before.front, ...line.front] } : line);
  }
  return [...merged.values()];
};
