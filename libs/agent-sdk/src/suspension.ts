import type { RequestId } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';

/** Thrown through a node's body when it has to wait. Whoever catches it keeps the run from waiting. */
export class NodeSuspension extends Error {
  override readonly name = 'NodeSuspension';

  constructor(readonly requestIds: readonly RequestId[]) {
    super('The node waits for an answer: this must not be caught');
  }
}

export class InputExpired extends PlatformError {
  readonly code = 'INPUT_EXPIRED';
  readonly redelivery = 'park';
}

export class ToolRejected extends PlatformError {
  readonly code = 'TOOL_REJECTED';
  readonly redelivery = 'park';
}

/** The node's body did what it had not declared, or was given or gave what its schema refuses. */
export class NodeContractBroken extends PlatformError {
  readonly code = 'NODE_CONTRACT_BROKEN';
  readonly redelivery = 'park';
}
