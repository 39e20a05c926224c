import type { RunId, TenantId } from '@millrace/contracts';
import type { StorePlace } from './store.js';

/** That a run was requested, and where the log has it; not what has become of it since. */
export interface RequestedRun {
  readonly runId: RunId;
  readonly streamSequence: number;
}

/** A tenant's requests in the order they were stored. */
export abstract class RunRequests {
  /**
   * The requests at these places, each of which is known to hold one, in their order; none of other tenants. Costs the
   * same whatever lies between them.
   */
  abstract at(tenantId: TenantId, places: readonly StorePlace[]): Promise<readonly RequestedRun[]>;

  /** Searches the log. The first `limit` at `from` or later, none left out up to `atLeast`, where a request is known to lie. */
  abstract page(
    tenantId: TenantId,
    from: StorePlace,
    limit: number,
    atLeast: StorePlace,
  ): Promise<readonly RequestedRun[]>;
}
