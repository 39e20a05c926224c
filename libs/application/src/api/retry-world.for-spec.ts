import { setImmediate } from 'node:timers/promises';
import { aTenantId, RunId, type RunRef } from '@millrace/contracts';
import type { RunLog } from '@millrace/ports';
import { failRun, finishRun, startRun } from '@millrace/testing';
import { SpecPlatform } from '@millrace/testing/simulation';
import { AgentChecks } from './agent-checks.js';
import { AnnouncedAgents } from './announced.for-spec.js';
import { improvementRunOf } from './idempotent-id.js';
import { LogRunQueries } from './log-run-queries.js';
import { RunOrders } from './run-orders.js';
import { RunRetries } from './run-retries.js';

export const ada = { tenantId: aTenantId, userId: 'ada' };
export const bob = { ...ada, userId: 'bob' };
export const order = { agent: 'chat', appId: 'demo', policy: 'default', input: { text: 'hello' }, projectId: 'p' };

const agents = new AgentChecks(new AnnouncedAgents({ chat: undefined, improver: undefined }).known);

/** Runs that fail and are asked for again, over a log in memory. The orchestrator's part is played. */
export class RetryWorld extends SpecPlatform {
  readonly log = this.platform.runs;
  readonly newRunId = () => RunId.parse(this.platform.ids.next());
  readonly others = this.handler;
  readonly retries = this.retriesOn(this.log);
  readonly queries = new LogRunQueries(this.log);

  /** Of a process with this view of the log. */
  retriesOn(log: RunLog): RunRetries {
    return new RunRetries({ ...this.ports, log }, { improver: 'improver', newRunId: this.newRunId, agents });
  }

  ordersOn(log: RunLog): RunOrders {
    return new RunOrders({ ...this.ports, log }, this.newRunId, order, agents);
  }

  async failed(retryOnFailure?: { maxRetries: number }): Promise<RunRef> {
    const options = retryOnFailure === undefined ? {} : { retryOnFailure };
    return this.fail(refOf(await this.ordersOn(this.log).start(ada, { ...order, ...options })));
  }

  async fail(ref: RunRef): Promise<RunRef> {
    await this.others.handle(startRun(ref));
    await this.others.handle(failRun(ref));
    return ref;
  }

  async finish(ref: RunRef, output: unknown): Promise<void> {
    await this.others.handle(startRun(ref));
    await this.others.handle(finishRun({ ...ref, output }));
    await this.retries.follow(ref);
  }

  /** The run that improves this one, whether it is there yet or not. */
  async improverOf(next: RunRef): Promise<RunRef> {
    return refOf(await improvementRunOf(next));
  }

  /** The run in place of this one, which came by itself, once it waits for nothing any more. */
  async nextOf(ref: RunRef): Promise<RunRef | undefined> {
    await this.retries.follow(ref); // the failure
    await this.retries.follow(ref); // the wish that followed from it
    const asked = (await this.events(ref)).find((event) => event.kind === 'RetryRequested');
    if (asked?.retryRunId === undefined) return undefined;
    const next = refOf(asked.retryRunId);
    const { improvedBy } = await this.queries.detail(next);
    await this.finish(refOf(improvedBy!), { text: 'try harder' });
    return next;
  }
}

export const refOf = (runId: RunId): RunRef => ({ tenantId: aTenantId, runId });

/** The log of a process that dies before its so manieth append. */
export const crashingAfter = (appends: number, log: RunLog): RunLog => {
  let left = appends;
  return aroundEach(log, async (name) => {
    if (name === 'append' && left-- <= 0) throw new Error('killed');
  });
};

/** The log of a process whose every read and append takes its own time, at most so many turns, another one for each seed. */
export const straying = (seed: number, log: RunLog, mostTurns = 6): RunLog => {
  let state = seed;
  return aroundEach(log, async () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    for (let turns = Math.floor(state / 2 ** 16) % mostTurns; turns > 0; turns -= 1) await setImmediate();
  });
};

const aroundEach = (log: RunLog, before: (name: string) => Promise<void>): RunLog =>
  new Proxy(log, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if ((name !== 'append' && name !== 'read') || typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        await before(name);
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
