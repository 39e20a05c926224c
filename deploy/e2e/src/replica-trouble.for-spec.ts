import { requestNats } from '@millrace/local-servers';
import { STREAMS } from '@millrace/adapter-jetstream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.for-spec.js';

interface RaftGroup {
  readonly leader?: string;
  readonly replicas?: readonly { readonly name: string; readonly current: boolean; readonly offline?: boolean }[];
}

const isWhole = ({ leader, replicas = [] }: RaftGroup): boolean =>
  leader !== undefined &&
  replicas.length === 2 &&
  replicas.every(({ current, offline = false }) => current && !offline);

const STOPPED_MS = 3_000;
/** Every so many stops of a follower, the leader dies. */
const STOPS_PER_DEATH = 3;

/** What happens to the servers that hold the log, one thing after the other: two of the three can always go on. */
export class ReplicaTrouble {
  stops = 0;
  deaths = 0;
  #isOver = false;

  private constructor(private readonly cluster: Cluster) {}

  /** Stops followers and kills leaders from now on. */
  static begin(cluster: Cluster): { readonly trouble: ReplicaTrouble; readonly over: Promise<void> } {
    const trouble = new ReplicaTrouble(cluster);
    return { trouble, over: trouble.make() };
  }

  end(): void {
    this.#isOver = true;
  }

  private async make(): Promise<void> {
    while (!this.#isOver) {
      const [leader, ...followers] = await this.whole();
      if (this.stops % STOPS_PER_DEATH === STOPS_PER_DEATH - 1 && this.stops / STOPS_PER_DEATH > this.deaths) {
        await this.serverOf(leader).kill('SIGKILL');
        await this.serverOf(leader).restart();
        this.deaths += 1;
        continue;
      }
      const follower = this.serverOf(followers[this.stops % followers.length]);
      await follower.pause();
      await pause(STOPPED_MS);
      await follower.resume();
      this.stops += 1;
    }
  }

  /**
   * The log's leader and its followers, once every stream and consumer has its leader and followers that have all it has: a
   * server that follows in the log may lead another one, and while that one elects, a second server down is one too many.
   */
  private async whole(): Promise<string[]> {
    for (;;) {
      const groups = await this.groups();
      const log = groups.get(STREAMS.runs);
      if (log?.leader !== undefined && [...groups.values()].every(isWhole)) {
        return [log.leader, ...(log.replicas ?? []).map(({ name }) => name)];
      }
      await pause(200);
    }
  }

  /** Of each stream, by its name, and of each consumer. Empty while one of them elects a leader, who alone answers. */
  private async groups(): Promise<ReadonlyMap<string, RaftGroup>> {
    const groups = new Map<string, RaftGroup>();
    for (const name of Object.values(STREAMS)) {
      const stream = await this.ask<{ cluster?: RaftGroup }>(`STREAM.INFO.${name}`);
      const listed = await this.ask<{ consumers?: { name: string; cluster?: RaftGroup }[] }>(`CONSUMER.LIST.${name}`);
      if (stream?.cluster === undefined || listed === undefined) return new Map();
      groups.set(name, stream.cluster);
      for (const { name: consumer, cluster } of listed.consumers ?? []) {
        // Ordered consumers live on one server, and are made anew elsewhere when it is gone.
        if ((cluster?.replicas?.length ?? 0) > 0) groups.set(`${name} ${consumer}`, cluster!);
      }
    }
    return groups;
  }

  /** Undefined while no server answers: asked again until there is an answer; the spec fails when that never happens. */
  private async ask<T>(what: string): Promise<T | undefined> {
    const [url = ''] = this.cluster.natsUrl('admin').split(',');
    try {
      return JSON.parse(await requestNats(url, `$JS.API.${what}`, '', 2_000)) as T;
    } catch {
      return undefined;
    }
  }

  /** They are named n1, n2 and n3 in their order. */
  private serverOf(name = '') {
    const server = this.cluster.server.servers[Number(name.slice(1)) - 1];
    if (server === undefined) throw new Error(`there is no server ${name}`);
    return server;
  }
}
