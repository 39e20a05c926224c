import { SystemClock } from '@millrace/adapter-jetstream';
import { RunCommandHandler, type SessionPorts } from '@millrace/application';
import { isTerminal, RunId, type RunEvent, type RunRef, type ServiceName, type TenantId } from '@millrace/contracts';
import { type ListeningProcess, spawnListening } from '@millrace/local-servers';
import { EMPTY_TAIL } from '@millrace/ports';
import { NATS_WITH_USERS, SpecServers, startSpecPostgres } from '@millrace/testing/services';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type NatsCount, type NatsServers, startNatsServers, usualCount } from './nats-servers.for-spec.js';
import { PublishGate } from './publish-gate.for-spec.js';

export type Role = ServiceName;

export interface Process extends ListeningProcess {
  readonly role: Role;
}

const SERVICES = join(import.meta.dirname, '..', '..', '..', 'services');

/** Real nats-servers, one or three, and real service processes, each with its own NATS user; runs are asked for through the log. */
export class Cluster extends SpecServers<NatsServers> {
  readonly folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-'));
  readonly processes = new Set<Process>();
  readonly tenantId: TenantId = this.ada;
  #env: Readonly<Record<string, string>> = {};
  #gate: PublishGate | undefined;

  static async start(
    roles: Partial<Record<Role, number>>,
    env: Record<string, string> = {},
    replicas: NatsCount = usualCount(),
  ): Promise<Cluster> {
    const [server, postgres] = await Promise.all([
      startNatsServers(replicas, { syncAlways: true, ...NATS_WITH_USERS }),
      roles['run-api'] === undefined ? undefined : startSpecPostgres('e2e'),
    ]);
    const size = { replicas, maxLogBytes: 1024 ** 3, maxBlobBytes: 1024 ** 3 };
    const cluster = new Cluster(server, postgres, { name: 'e2e', size, log: { lookEveryMs: 500 } });
    cluster.#env = env;
    await cluster.setUp();
    const wanted = Object.entries(roles) as [Role, number][];
    await Promise.all(wanted.flatMap(([role, count]) => Array.from({ length: count }, () => cluster.spawn(role))));
    await Promise.all([...cluster.processes].map((process) => cluster.ready(process)));
    return cluster;
  }

  get ports(): SessionPorts {
    return { log: this.log, ids: this.ids, clock: new SystemClock() };
  }

  get handler(): RunCommandHandler {
    return new RunCommandHandler(this.ports);
  }

  /** Whatever processes publish that are started from now on passes it; what the spec itself publishes does not. */
  async putGate(): Promise<PublishGate> {
    if (this.server.servers.length > 1) throw new Error('a gate stands before one server: start the cluster with one');
    return (this.#gate ??= await PublishGate.before(this.server.url));
  }

  /** Resolves when it says that it listens. */
  async spawn(role: Role, env: Readonly<Record<string, string>> = {}): Promise<Process> {
    const listening = await spawnListening({
      command: process.execPath,
      args: ['--enable-source-maps', join(SERVICES, role, 'dist', 'main.js')],
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        ...this.envOf(role),
        ...{ NATS_URL: this.natsUrl(role, this.#gate), PORT: '0', MILLRACE_LEDGER_DIR: this.folder },
        ...this.#env,
        ...env,
      },
    });
    const started: Process = { role, ...listening };
    this.processes.add(started);
    void started.child.exited.then(() => this.processes.delete(started));
    return started;
  }

  of(role: Role): Process[] {
    return [...this.processes].filter((started) => started.role === role);
  }

  /** Resolves when it can do its work: a worker has announced its agents then. */
  async ready({ url }: Process): Promise<void> {
    while (!(await fetch(`${url}/health/ready`)).ok) await pause(20);
  }

  /** What the process says of itself. */
  async health({ url }: Process): Promise<Record<string, unknown>> {
    return (await (await fetch(`${url}/health/ready`)).json()) as Record<string, unknown>;
  }

  /** Every process (or those of the roles) is stopped in good order and started anew, with these settings beside the ones it had. */
  async restart(env: Record<string, string> = {}, roles?: readonly Role[]): Promise<void> {
    this.#env = { ...this.#env, ...env };
    const stopping = [...this.processes].filter(({ role }) => roles === undefined || roles.includes(role));
    await Promise.all(stopping.map(({ child }) => child.stop('SIGTERM', 30_000)));
    const started = await Promise.all(stopping.map(({ role }) => this.spawn(role)));
    await Promise.all(started.map((process) => this.ready(process)));
  }

  /** All processes and the servers under them are killed, and started again. */
  async killEverything(): Promise<void> {
    const dying = [...this.processes];
    const servers = [this.server, ...(this.postgres ? [this.postgres] : [])];
    await Promise.all([...dying.map((each) => this.kill(each)), ...servers.map((server) => server.kill('SIGKILL'))]);
    await Promise.all(servers.map((server) => server.restart()));
    await Promise.all(dying.map(({ role }) => this.spawn(role)));
  }

  async kill(killed: Process): Promise<void> {
    killed.child.kill('SIGKILL');
    await killed.child.exited;
  }

  /** As a client would, of the instance that was started first; rejects when the answer is a problem. */
  async ask(method: 'GET' | 'POST', path: string, body?: object): Promise<Record<string, unknown>> {
    const [api] = this.of('run-api');
    const response = await fetch(`${api?.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${await this.token()}`, 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  async request(agent: string, input: unknown, tenantId = this.tenantId): Promise<RunRef> {
    const ref = { tenantId, runId: RunId.parse(this.ids.next()) };
    const order = { agent, appId: 'e2e', policy: 'default', input, userId: 'ada' };
    await this.handler.handle({ kind: 'RequestRun', ...ref, ...order });
    return ref;
  }

  /** The run's events up to the first one the predicate holds for. */
  async until(ref: RunRef, isSo: (event: RunEvent, all: readonly RunEvent[]) => boolean): Promise<RunEvent[]> {
    const events: RunEvent[] = [];
    for await (const event of this.log.follow(ref, EMPTY_TAIL)) {
      events.push(event);
      if (isSo(event, events)) break;
    }
    return events;
  }

  /** Resolves once it is later than that: deadlines are kept by the clock, and nothing tells that one has passed. */
  async clockPast(time: string): Promise<void> {
    const now = this.ports.clock.now().getTime();
    await pause(Math.max(0, Date.parse(time) - now) + 1);
  }

  ended(ref: RunRef): Promise<RunEvent[]> {
    return this.until(ref, isTerminal);
  }

  /** One line for every time a step's effect was really done: `<runId> <taskKey> <attempt>`. */
  ledger(file: string): string[] {
    return readFileSync(join(this.folder, file), 'utf8').split('\n').filter(Boolean);
  }

  override async stop(): Promise<void> {
    await Promise.all([...this.processes].map(({ child }) => child.stop('SIGTERM', 10_000)));
    await this.#gate?.close();
    await super.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
