import {
  connectNats,
  JetStreamBlobStore,
  JetStreamRunLog,
  NATS_USERS,
  type NatsConnection,
  natsUsers,
  type NatsUserName,
  setUpTopology,
  SystemClock,
  UlidEventIds,
} from '@millrace/adapter-jetstream';
import { appDatabaseUrl, migrate, readerDatabaseUrl } from '@millrace/adapter-postgres';
import { RunCommandHandler, type SessionPorts } from '@millrace/application';
import { isTerminal, RunId, type RunEvent, type RunRef, TenantId } from '@millrace/contracts';
import { type ListeningProcess, spawnListening } from '@millrace/local-servers';
import { EMPTY_TAIL } from '@millrace/ports';
import { startTestPostgres, type TestPostgres } from '@millrace/testing/servers';
import { SignJWT } from 'jose';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type NatsCount, type NatsServers, startNatsServers, usualCount } from './nats-servers.for-spec.js';
import { PublishGate } from './publish-gate.for-spec.js';

export type Role = 'orchestrator' | 'node-workers' | 'run-api' | 'projector' | 'stream-gateway';

export interface Claims {
  readonly tenantId?: string;
  readonly scope?: string;
  readonly expires?: string;
}

export interface Process extends ListeningProcess {
  readonly role: Role;
}

const PASSWORDS = Object.fromEntries(NATS_USERS.map((name) => [name, 'secret'])) as Record<NatsUserName, string>;
export const SECRET = 'a secret that is known to these specs only';
const AUTH = {
  ...{ AUTH_JWT_SECRET: SECRET, AUTH_ISSUER: 'e2e', AUTH_AUDIENCE: 'millrace' },
  STREAM_TICKET_SECRET: `${SECRET}, for tickets`,
};
const SERVICES = join(import.meta.dirname, '..', '..', '..', 'services');

/** Real nats-servers, one or three, and real service processes, each with its own NATS user; runs are asked for through the log. */
export class Cluster {
  readonly ids = new UlidEventIds();
  readonly folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-'));
  readonly processes = new Set<Process>();
  readonly tenantId = TenantId.parse(this.ids.next());
  readonly log: JetStreamRunLog;
  readonly ports: SessionPorts;
  readonly handler: RunCommandHandler;
  #gate: PublishGate | undefined;

  private constructor(
    readonly server: NatsServers,
    readonly nats: NatsConnection,
    private env: Readonly<Record<string, string>>,
    private readonly database: ReadModels | undefined,
  ) {
    this.log = new JetStreamRunLog(nats, new JetStreamBlobStore(nats), { lookEveryMs: 500 });
    this.ports = { log: this.log, ids: this.ids, clock: new SystemClock() };
    this.handler = new RunCommandHandler(this.ports);
  }

  static async start(
    roles: Partial<Record<Role, number>>,
    env: Record<string, string> = {},
    replicas: NatsCount = usualCount(),
  ): Promise<Cluster> {
    const server = await startNatsServers(replicas, { syncAlways: true, extraConfig: natsUsers(PASSWORDS) });
    const nats = await connectNats({ url: urlFor(server, 'admin'), name: 'e2e' });
    await setUpTopology(nats, { replicas, maxLogBytes: 1024 ** 3, maxBlobBytes: 1024 ** 3 });
    const database = roles['run-api'] === undefined ? undefined : await startReadModels();
    const cluster = new Cluster(server, nats, env, database);
    const wanted = Object.entries(roles) as [Role, number][];
    await Promise.all(wanted.flatMap(([role, count]) => Array.from({ length: count }, () => cluster.spawn(role))));
    await Promise.all([...cluster.processes].map((process) => cluster.ready(process)));
    return cluster;
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
        ...{ NATS_URL: urlFor(this.#gate ?? this.server, role), PORT: '0', MILLRACE_LEDGER_DIR: this.folder },
        ...AUTH,
        ...(this.database ? { DATABASE_URL: this.database.urlFor(role) } : {}),
        ...this.env,
        ...env,
      },
    });
    const started: Process = { role, ...listening };
    this.processes.add(started);
    void started.child.exited.then(() => this.processes.delete(started));
    return started;
  }

  urlFor(user: NatsUserName): string {
    return urlFor(this.server, user);
  }

  /** As that service connects; there is a database where run-api runs. */
  databaseUrlFor(role: Role): string {
    if (this.database === undefined) throw new Error('there is no run-api, and so no database');
    return this.database.urlFor(role);
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
    this.env = { ...this.env, ...env };
    const stopping = [...this.processes].filter(({ role }) => roles === undefined || roles.includes(role));
    await Promise.all(stopping.map(({ child }) => child.stop('SIGTERM', 30_000)));
    const started = await Promise.all(stopping.map(({ role }) => this.spawn(role)));
    await Promise.all(started.map((process) => this.ready(process)));
  }

  /** All processes and the servers under them are killed, and started again. */
  async killEverything(): Promise<void> {
    const dying = [...this.processes];
    const servers = [this.server, ...(this.database ? [this.database.server] : [])];
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

  token({ tenantId = this.tenantId, scope = 'runs:read runs:write', expires = '1h' }: Claims = {}): Promise<string> {
    return new SignJWT({ tenant_id: tenantId, scope, sub: 'ada' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(AUTH.AUTH_ISSUER)
      .setAudience(AUTH.AUTH_AUDIENCE)
      .setExpirationTime(expires)
      .sign(new TextEncoder().encode(SECRET));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.processes].map(({ child }) => child.stop('SIGTERM', 10_000)));
    await this.#gate?.close();
    await this.nats.close();
    await this.server.stop();
    await this.database?.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const urlFor = ({ url }: { readonly url: string }, user: NatsUserName): string =>
  url.replaceAll('nats://', `nats://${user}:secret@`);

interface ReadModels {
  readonly server: TestPostgres;
  urlFor(role: Role): string;
}

/** Empty where no projector runs: run-api sees that they are behind and answers from the log. */
const startReadModels = async (): Promise<ReadModels> => {
  const server = await startTestPostgres();
  const ownerUrl = await server.createDatabase('e2e');
  await migrate({ ownerUrl, appPassword: 'secret', readerPassword: 'secret' });
  const urlFor = (role: Role): string =>
    role === 'projector' ? appDatabaseUrl(ownerUrl, 'secret') : readerDatabaseUrl(ownerUrl, 'secret');
  return { server, urlFor };
};
