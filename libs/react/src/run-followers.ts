import type { MillraceClient } from '@millrace/client';
import { type FollowOptions, RunFollower } from './run-follower.js';

/** Who leaves and comes right back, as strict mode and moving between pages do, finds what was there. */
const KEPT_FOR_MS = 1_000;

/** One follower for each run, whatever number of components look at it. */
export class RunFollowers {
  readonly #followers = new Map<string, RunFollower>();

  constructor(readonly client: MillraceClient) {}

  of(runId: string, options: FollowOptions = {}): RunFollower {
    const key = JSON.stringify([runId, options.fromSeq ?? 0, options.coalesce ?? false]);
    const known = this.#followers.get(key);
    if (known) return known;
    const forgetSoon = () => {
      setTimeout(() => {
        if (!follower.isWatched && this.#followers.get(key) === follower) this.#followers.delete(key);
      }, KEPT_FOR_MS);
    };
    const follower = new RunFollower(this.client, runId, options, forgetSoon);
    this.#followers.set(key, follower);
    forgetSoon(); // a component that is drawn and never mounted does not part either
    return follower;
  }
}
