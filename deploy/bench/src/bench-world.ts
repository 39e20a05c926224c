import {
  connectNats,
  JetStreamBlobStore,
  JetStreamRunLog,
  type NatsConnection,
  setUpTopology,
  SystemClock,
  UlidEventIds,
} from '@millrace/adapter-jetstream';
import { RunId, TaskKey, TenantId, type RunFactOf, type RunRef } from '@millrace/contracts';
import { freePort, type RunningNats, startNats } from '@millrace/local-servers';
import type { EventDraft } from '@millrace/ports';

/** A throw-away nats-server that syncs like the one in production, and our log on it. */
export class BenchWorld {
  readonly ids = new UlidEventIds();
  readonly clock = new SystemClock();

  private constructor(
    private readonly server: RunningNats,
    /** Where the server's monitoring pages are. */
    readonly monitorUrl: string,
    readonly nats: NatsConnection,
    readonly log: JetStreamRunLog,
  ) {}

  static async open(syncAlways: boolean): Promise<BenchWorld> {
    const monitorPort = await freePort();
    const server = await startNats({ syncAlways, monitorPort });
    const nats = await connectNats({ url: server.url, name: 'bench' });
    await setUpTopology(nats, { maxLogBytes: 2 * 1024 ** 3, maxBlobBytes: 1024 ** 3 });
    const log = new JetStreamRunLog(nats, new JetStreamBlobStore(nats));
    return new BenchWorld(server, `http://127.0.0.1:${monitorPort}`, nats, log);
  }

  get url(): string {
    return this.server.url;
  }
  get serverPid(): number {
    return this.server.pid;
  }

  /** Another connection, as another process would have. */
  connect(): Promise<NatsConnection> {
    return connectNats({ url: this.server.url, name: 'bench' });
  }

  newRun(): RunRef {
    return { tenantId: TenantId.parse(this.ids.next()), runId: RunId.parse(this.ids.next()) };
  }

  token(text = 'a token of text'): EventDraft {
    return { ...tokenFact(text), eventId: this.ids.next(), ts: this.clock.now().toISOString() };
  }

  async close(): Promise<void> {
    await this.nats.close();
    await this.server.stop();
  }
}

export const tokenFact = (text: string): RunFactOf<'TokenDelta'> => ({
  kind: 'TokenDelta',
  agentId: 'bench',
  node: 'say',
  taskKey: TaskKey.parse('1/say'),
  iteration: 1,
  attempt: 1,
  text,
});
