import { PlatformError } from '@millrace/kernel';
import { inspect } from 'node:util';

/** The graph uses what cannot be played from a log. */
export class GraphUnsupported extends PlatformError {
  readonly code = 'GRAPH_UNSUPPORTED';
  readonly redelivery = 'park';
}

/** The graph asks for something else than it did before, on the same history. */
export class GraphNotDeterministic extends PlatformError {
  readonly code = 'NON_DETERMINISTIC_GRAPH';
  readonly redelivery = 'park';
}

/** The run's input is none the agent takes. */
export class InputRefused extends PlatformError {
  readonly code = 'INPUT_INVALID';
  readonly redelivery = 'park';
}

export class NodeUnknown extends PlatformError {
  readonly code = 'NODE_NOT_FOUND';
  readonly redelivery = 'park';
}

/** Of whatever was thrown. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(textOf(thrown)));

const textOf = (thrown: unknown): string => (typeof thrown === 'string' ? thrown : inspect(thrown));
