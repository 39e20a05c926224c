import type { RunEventOf, TaskKey } from '@millrace/contracts';

type Result = RunEventOf<'NodeFinished'>;

/** Results in the order of the log, until the graph has had them. */
export class ResultQueue {
  readonly #results: Result[] = [];

  push(result: Result): void {
    this.#results.push(result);
  }

  has(key: TaskKey): boolean {
    return this.#results.some(({ taskKey }) => taskKey === key);
  }

  hasAny(isWanted: (key: TaskKey) => boolean): boolean {
    return this.#results.some(({ taskKey }) => isWanted(taskKey));
  }

  get isEmpty(): boolean {
    return this.#results.length === 0;
  }

  /** Throws away what came too late, as long as it stands first. */
  skip(isTooLate: (key: TaskKey) => boolean): void {
    while (this.#results[0] && isTooLate(this.#results[0].taskKey)) this.#results.shift();
  }

  /** Takes the first one that is wanted. */
  take(isWanted: (key: TaskKey) => boolean): Result | undefined {
    const index = this.#results.findIndex(({ taskKey }) => isWanted(taskKey));
    return index < 0 ? undefined : this.#results.splice(index, 1)[0];
  }

  clear(): void {
    this.#results.length = 0;
  }
}
