import type { RunId, TenantId } from '@millrace/contracts';

/** That a run was requested, and where the log has it; not what has become of it since. */
export interface RequestedRun {
  readonly runId: RunId;
  readonly streamSequence: number;
}

/** A tenant's requests in the order they were stored. */
export abstract class RunRequests {
  /** The first `limit` at `from` or later. */
  abstract page(tenantId: TenantId, from: number, limit: number): Promise<readonly RequestedRun[]>;
}
