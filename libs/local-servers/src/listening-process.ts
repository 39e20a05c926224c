import { type GuardedChild, type GuardedSpawn, spawnGuarded } from './guarded-child.js';
import { ServerNotStarted } from './server-errors.js';
import { describeExit } from './start-server.js';

/** A service of ours as a process: it says where it listens once it is ready. */
export interface ListeningProcess {
  readonly child: GuardedChild;
  /** All it has printed so far. */
  readonly lines: string[];
  readonly url: string;
}

/** Resolves when it says that it listens; rejects with what it printed when it ends before. */
export async function spawnListening(options: GuardedSpawn): Promise<ListeningProcess> {
  const child = await spawnGuarded(options);
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    child.onOutput((text) => {
      lines.push(...text.split('\n').filter((line) => line !== ''));
      const [, address] = /Listening on (http:[^"\s]+)/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    });
    void child.exited.then((exit) =>
      reject(new ServerNotStarted(`${options.args.at(-1) ?? options.command} ${describeExit(exit)}`, lines.join('\n'))),
    );
  });
  return { child, lines, url };
}
