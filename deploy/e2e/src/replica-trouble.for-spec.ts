import { requestNats } from '@millrace/local-servers';
import { STREAMS } from '@millrace/adapter-jetstream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.for-spec.js';

interface RaftGroup {
  readonly leader?: string;
  readonly replicas?: readonly { readonly name: string; readonly current: boolean; readonly offline?: boolean }[];
}

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

  /** The log's leader and its followers, once these have all it has. */
  private async whole(): Promise<string[]> {
    for (;;) {
      const { leader, replicas = [] } = await this.group();
      const followers = replicas.filter(({ current, offline = false }) => current && !offline).map(({ name }) => name);
      if (leader !== undefined && followers.length === 2) return [leader, ...followers];
      await pause(50);
    }
  }

  /** Empty while the servers elect a leader, who alone answers. */
  private async group(): Promise<RaftGroup> {
    const [url = ''] = this.cluster.natsUrl('admin').split(',');
    try {
      const answer = await requestNats(url, `$JS.API.STREAM.INFO.${STREAMS.runs}`, '', 2_000);
      return (JSON.parse(answer) as { cluster?: RaftGroup }).cluster ?? {};
    } catch {
      return {}; // asked again until there is one: the spec fails when that never happens
    }
  }

  /** They are named n1, n2 and n3 in their order. */
  private serverOf(name = '') {
    const server = this.cluster.server.servers[Number(name.slice(1)) - 1];
    if (server === undefined) throw new Error(`there is no server ${name}`);
    return server;
  }
}
