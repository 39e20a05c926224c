import { RunId, type RunRef, TenantId } from '@millrace/contracts';
import type { ListeningProcess } from '@millrace/local-servers';
import { EMPTY_TAIL, type Tail } from '@millrace/ports';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { HTTP_ENV, tokenFor } from './bench-caller.js';
import { BenchWorld } from './bench-world.js';
import { spawnService } from './service-process.js';
import { SseListener } from './sse-listener.js';

/** So many connections are opened at the same time: a listen queue holds no more. */
const OPENED_AT_ONCE = 100;

/** A stream-gateway process, and clients of it. */
export class StreamWorld {
  readonly tenantId: TenantId;

  private constructor(
    readonly bench: BenchWorld,
    private readonly token: string,
    tenantId: TenantId,
    private gateway: ListeningProcess,
  ) {
    this.tenantId = tenantId;
  }

  static async open(): Promise<StreamWorld> {
    const bench = await BenchWorld.open(false);
    const tenantId = TenantId.parse(bench.ids.next());
    const token = await tokenFor(tenantId);
    return new StreamWorld(bench, token, tenantId, await spawnGateway(bench.url));
  }

  async restartGateway(): Promise<void> {
    await this.gateway.child.stop('SIGTERM', 10_000);
    this.gateway = await spawnGateway(this.bench.url);
  }

  /** A run that is about to begin: its first public event has the number 0. */
  async run(): Promise<RunRef> {
    const run = { tenantId: this.tenantId, runId: RunId.parse(this.bench.ids.next()) };
    await this.bench.log.append(run, this.bench.token(), EMPTY_TAIL);
    return run;
  }

  async say(run: RunRef, count: number): Promise<Tail> {
    let tail = await this.bench.log.tail(run);
    for (let at = 0; at < count; at += 1) {
      ({ tail } = await this.bench.log.append(run, this.bench.token(), tail));
    }
    return tail;
  }

  listen({ runId }: RunRef, after?: number): Promise<SseListener> {
    return new SseListener().open(`${this.gateway.url}/agents/runs/${runId}/stream`, this.token, after);
  }

  async listenAll(runs: readonly RunRef[]): Promise<SseListener[]> {
    const listeners: SseListener[] = [];
    for (let at = 0; at < runs.length; at += OPENED_AT_ONCE) {
      listeners.push(...(await Promise.all(runs.slice(at, at + OPENED_AT_ONCE).map((run) => this.listen(run)))));
    }
    return listeners;
  }

  /** What the process holds in memory once it has calmed down. */
  async settledBytes(): Promise<number> {
    await pause(8_000);
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.gateway.child.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  }

  async close(): Promise<void> {
    await this.gateway.child.stop('SIGTERM', 10_000);
    await this.bench.close();
  }
}

const spawnGateway = (natsUrl: string): Promise<ListeningProcess> =>
  spawnService('stream-gateway', { ...HTTP_ENV, NATS_URL: natsUrl });
