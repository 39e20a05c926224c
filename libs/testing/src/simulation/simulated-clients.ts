import type { RunOrders } from '@millrace/application';
import {
  INPUT_RESPONSES,
  isPublic,
  isTerminal,
  type RequestId,
  type RunEvent,
  type RunId,
  type RunRef,
} from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { MemoryProcess, SeededRandom } from '@millrace/adapter-memory';
import { AGENTS } from './simulated-agents.js';
import { isOutage } from './simulated-processes.js';

/** What clients have: a clock, dice, and whichever process of run-api answers now. */
export interface ClientPorts {
  readonly random: SeededRandom;
  readonly pause: (ms: number) => Promise<void>;
  readonly api: () => RunOrders | undefined;
  /** A process that streams runs, now. */
  readonly gateway: () => MemoryProcess;
  readonly found: (what: string) => void;
}

export interface ClientPlan {
  readonly tenantId: RunRef['tenantId'];
  readonly agent: string;
  readonly key: string;
  readonly startAfterMs: number;
  readonly retries: number;
  /** What it does meanwhile, by when. */
  readonly does: readonly { readonly afterMs: number; readonly what: 'cancel' | 'pause' | 'done' }[];
}

const GIVES_UP_MS = 8_000;
const PAUSED_MS = 3_000;
const AGAIN_MS = 300;

/** One client: it asks for a run, follows it, answers what it is asked, and now and then changes its mind. */
export class SimulatedClient {
  readonly seen: RunEvent[] = [];
  #run: RunRef | undefined;

  constructor(
    private readonly ports: ClientPorts,
    readonly plan: ClientPlan,
  ) {}

  /** Undefined until run-api has taken the order. */
  get run(): RunRef | undefined {
    return this.#run;
  }

  /** Resolves when it has seen the end of its run. */
  async live(): Promise<void> {
    const { tenantId, startAfterMs, does } = this.plan;
    await this.ports.pause(startAfterMs);
    const runId = await this.order();
    if (runId === undefined) return;
    this.#run = { tenantId, runId };
    await Promise.all([this.follow(this.#run), ...does.map((deed) => this.change(this.#run!, deed))]);
  }

  /** Undefined when run-api refuses the order, as it has to for an agent that no worker has. */
  private async order(): Promise<RunId | undefined> {
    const { tenantId, agent, key, retries } = this.plan;
    const isThere = agent in AGENTS;
    const order = { agent, input: { a: 1 }, ...(retries > 0 ? { retryOnFailure: { maxRetries: retries } } : {}) };
    for (;;) {
      const taken = await this.insist((api) => api.start({ tenantId, userId: 'ada' }, order, key));
      if (!(taken instanceof PlatformError)) {
        if (!isThere) this.ports.found(`run-api took ${key} for ${agent}, which no worker has`);
        return taken;
      }
      if (taken.code !== 'AGENT_NOT_FOUND') this.ports.found(`run-api refused ${key}: ${taken.message}`);
      if (taken.code !== 'AGENT_NOT_FOUND' || !isThere) return undefined;
      await this.ports.pause(AGAIN_MS); // its workers have not announced it yet
    }
  }

  private async change({ tenantId, runId }: RunRef, { afterMs, what }: ClientPlan['does'][number]): Promise<void> {
    const caller = { tenantId, userId: 'ada' };
    await this.ports.pause(afterMs);
    if (what !== 'pause') return void (await this.insist((api) => api[what](caller, runId)));
    await this.insist((api) => api.pause(caller, runId));
    await this.ports.pause(this.ports.random.below(PAUSED_MS));
    await this.insist((api) => api.resume(caller, runId));
  }

  /** As a browser does: it comes back with the last number it has seen, whatever became of its gateway. */
  private async follow(run: RunRef): Promise<void> {
    while (!this.seen.some(isTerminal)) {
      const stop = new AbortController();
      const gateway = this.ports.gateway();
      const reading = this.read(run, gateway, stop.signal);
      await Promise.race([reading, this.until(() => gateway.isGone)]);
      stop.abort();
    }
  }

  private async read(run: RunRef, gateway: MemoryProcess, signal: AbortSignal): Promise<void> {
    const from = { sequence: this.seen.length };
    for await (const event of gateway.runs.follow(run, from, signal)) {
      if (signal.aborted) return;
      if (!isPublic(event)) continue;
      this.seen.push(event);
      if (event.kind === 'InputRequested') void this.answer(run, event.requestId, event.request.type);
      if (isTerminal(event)) return;
    }
  }

  private async answer({ tenantId, runId }: RunRef, requestId: RequestId, type: keyof typeof INPUT_RESPONSES) {
    const response = type === 'toolApproval' ? { decision: 'approve' } : { text: 'ada' };
    await this.ports.pause(this.ports.random.below(4_000));
    await this.insist((api) => api.answer({ tenantId, userId: 'ada' }, runId, requestId, response));
  }

  /** Until it is answered; a refusal is an answer. */
  private async insist<T>(order: (api: RunOrders) => Promise<T>): Promise<T | PlatformError> {
    for (;;) {
      const api = this.ports.api();
      try {
        const answered = api && (await Promise.race([order(api), this.ports.pause(GIVES_UP_MS).then(() => NONE)]));
        if (api && answered !== NONE) return answered as T;
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        if (!isOutage(error)) return error;
      }
      await this.ports.pause(AGAIN_MS);
    }
  }

  private async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.ports.pause(500);
  }
}

const NONE = Symbol('no answer');
