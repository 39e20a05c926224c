import { type Caller, type RunOrder, RunOrders } from '@millrace/application';
import type { RunId, RunRef } from '@millrace/contracts';

const MOST = 10_000;

/**
 * Runs this process requested itself and whose end concerns no other run. What a run was requested with never changes,
 * so nobody has to read it in the log again. Of a run that is not here nothing is known: the log tells.
 */
export class SingleRuns {
  /** Oldest first. */
  readonly #runs = new Set<string>();

  get size(): number {
    return this.#runs.size;
  }

  add(run: RunRef): void {
    this.#runs.add(keyOf(run));
    for (const oldest of this.#runs) {
      if (this.#runs.size <= MOST) return;
      this.#runs.delete(oldest);
    }
  }

  /** Whether it is one; a run ends once, so it is forgotten. */
  take(run: RunRef): boolean {
    return this.#runs.delete(keyOf(run));
  }
}

const keyOf = ({ tenantId, runId }: RunRef): string => `${tenantId}/${runId}`;

/** Orders that note the single runs among what they start. */
export class NotingRunOrders extends RunOrders {
  constructor(
    private readonly singles: SingleRuns,
    ...orders: ConstructorParameters<typeof RunOrders>
  ) {
    super(...orders);
  }

  override async start(caller: Caller, order: RunOrder, key?: string): Promise<RunId> {
    const runId = await super.start(caller, order, key);
    // With a key it may be a run that was there before, requested with other things.
    if (key === undefined && order.retryOnFailure === undefined) {
      this.singles.add({ tenantId: caller.tenantId, runId });
    }
    return runId;
  }
}
