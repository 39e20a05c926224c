import { type ClientOptions, createClient, type MillraceClient } from '@millrace/client';
import { Cluster, type Role } from './cluster.for-spec.js';
import { OneOrigin, type Page } from './one-origin.for-spec.js';

/** Hardly any wait before another attempt, and many of them: services are killed here and start again. */
export const QUICK = { retry: { firstMs: 20, mostMs: 500, attempts: 20 } };

/** All five services as processes, and one address in front of them, as people and pages use them. */
export class Web {
  private constructor(
    readonly cluster: Cluster,
    readonly origin: OneOrigin,
  ) {}

  static async start(pages: Readonly<Record<string, Page>> = {}): Promise<Web> {
    const roles = { orchestrator: 1, 'node-workers': 1, projector: 1, 'run-api': 1, 'stream-gateway': 1 };
    const cluster = await Cluster.start(roles, { STREAM_COOKIE_SECURE: 'false', RETRY_MS: '100' });
    const at = (role: Role) => () => cluster.of(role)[0]?.url;
    const origin = await OneOrigin.start({ api: at('run-api'), stream: at('stream-gateway'), pages });
    return new Web(cluster, origin);
  }

  async client(options: Partial<ClientOptions> = {}): Promise<MillraceClient> {
    const token = await this.cluster.token();
    return createClient({ baseUrl: this.origin.url, getToken: () => token, ...QUICK, ...options });
  }

  /** Killed, and another one in its place. */
  async replace(role: Role): Promise<void> {
    for (const process of this.cluster.of(role)) await this.cluster.kill(process);
    await this.cluster.spawn(role);
  }

  async stop(): Promise<void> {
    await this.origin.stop();
    await this.cluster.stop();
  }
}
