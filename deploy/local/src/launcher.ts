import { type Child, ChildSupervisor } from './child-supervisor.js';
import type { LauncherConfig } from './config.js';
import { databaseSide } from './database-side.js';
import type { Home } from './home.js';
import { beginLogs, logFileOf } from './logs.js';
import { natsSide } from './nats-side.js';
import { neighboursOf } from './neighbours.js';
import { loadSecrets } from './secrets.js';
import { type RunningService, startService } from './service-process.js';
import { mainFileOf, type PlacedService, placeServices } from './services.js';
import { removeStack, type Stack, writeStack } from './stack-file.js';
import { authSettings, EVERYTHING, mintToken } from './token.js';

export interface RunningStack extends Stack {
  readonly services: readonly PlacedService[];
}

/**
 * Brings up one stack and keeps it up: servers first, then services; and down again the other way round. Only who holds
 * the home's lock may have one.
 */
export class Launcher {
  readonly #servers: ChildSupervisor[] = [];
  readonly #services: ChildSupervisor[] = [];
  readonly #pids: Record<string, number> = { launcher: process.pid };
  #stack: Omit<Stack, 'pids'> | undefined;

  constructor(
    private readonly home: Home,
    private readonly config: LauncherConfig,
    private readonly say: (line: string) => void,
  ) {}

  /** When it rejects, stop() ends what was started. */
  async start(): Promise<RunningStack> {
    beginLogs(this.home);
    const secrets = loadSecrets(this.home);
    const { tenantId, jwtSecret, streamTicketSecret } = secrets;
    const services = await placeServices(this.config);
    const nats = await natsSide(this.home, secrets, this.config);
    const database = await databaseSide(this.home, secrets, this.config);
    await allThrough([
      ...nats.servers.map(({ name, start }) => this.#supervise(this.#servers, name, start)),
      this.#supervise(this.#servers, 'postgres', database.start),
    ]);
    await nats.prepare?.();
    await database.migrate();
    const shared = {
      ...{ ...this.config.env, ...authSettings(jwtSecret), STREAM_TICKET_SECRET: streamTicketSecret },
      HOST: '127.0.0.1',
      STREAM_COOKIE_SECURE: 'false', // browsers come over plain HTTP here
    };
    await allThrough(
      services.map((service) => {
        const servers = { NATS_URL: nats.urlFor(service.name), DATABASE_URL: database.urlFor(service.name) };
        const neighbours = neighboursOf(service.name, services, this.config.env);
        return this.#startService(service, { ...shared, ...servers, ...neighbours });
      }),
    );
    this.#stack = {
      ...Object.fromEntries(services.flatMap(({ urlKey, url }) => (urlKey === undefined ? [] : [[urlKey, url]]))),
      natsUrl: nats.urlFor('admin'),
      databaseUrl: database.ownerUrl,
      tenantId,
      token: await mintToken(jwtSecret, { tenantId, subject: 'developer', scope: EVERYTHING }),
    };
    this.#writeStack();
    return { ...this.#stack, pids: this.#pids, services };
  }

  /** May be called at any time, also before start() is through. */
  async stop(): Promise<void> {
    this.#stack = undefined;
    removeStack(this.home);
    await Promise.all(this.#services.map((child) => child.stop()));
    await Promise.all(this.#servers.map((child) => child.stop()));
  }

  async #startService(service: PlacedService, settings: NodeJS.ProcessEnv): Promise<void> {
    const { name, port, healthUrl } = service;
    const env = { ...settings, PORT: String(port) };
    let first: RunningService | undefined;
    await this.#supervise(this.#services, name, async () => {
      const child = await startService({
        name,
        env,
        mainFile: mainFileOf(service),
        nodeArgs: service.nodeArgs,
        logFile: logFileOf(this.home, name),
      });
      first ??= child;
      return child;
    });
    await first?.ready(healthUrl);
  }

  /** Nothing to do for a server that is somebody else's. */
  async #supervise(list: ChildSupervisor[], name: string, start: (() => Promise<Child>) | undefined): Promise<void> {
    if (start === undefined) return;
    const onStarted = (pid: number) => {
      this.#pids[name] = pid;
      this.#writeStack();
    };
    const child = new ChildSupervisor({ name, start, say: this.say, onStarted });
    list.push(child);
    await child.start();
  }

  #writeStack(): void {
    if (this.#stack !== undefined) writeStack(this.home, { ...this.#stack, pids: this.#pids });
  }
}

/** Waits for all of them, also when one fails: nothing is still starting when the rest is stopped. */
async function allThrough(starting: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(starting)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
