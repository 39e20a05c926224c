import type { AgentDefinition } from '@millrace/agent-sdk';
import type { RunErrorCode } from '@millrace/contracts';
import type { GraphState } from '@millrace/ports';
import { asError, GraphNotDeterministic, InputRefused } from './graph-errors.js';
import { NodeFailed } from './node-error.js';
import { toReadable } from './readable.js';

export const finishedState = ({ toOutput }: AgentDefinition, state: unknown): GraphState => ({
  kind: 'finished',
  output: toReadable(toOutput ? toOutput(state) : state) ?? null,
});

export const failedState = (thrown: unknown, recursionLimit: number): GraphState => {
  const error = firstOf(thrown);
  const errorCode = errorCodeOf(error);
  const tooLong = `The graph did not end within ${recursionLimit} steps`;
  return { kind: 'failed', errorCode, reason: errorCode === 'RECURSION_LIMIT_EXCEEDED' ? tooLong : reasonOf(error) };
};

/** Nodes of one step that fail together arrive as one error. */
const firstOf = (error: unknown): unknown => (error instanceof AggregateError ? firstOf(error.errors[0]) : error);

const errorCodeOf = (error: unknown): RunErrorCode => {
  if (error instanceof NodeFailed) return nodeErrorCode(error);
  if (error instanceof GraphNotDeterministic || error instanceof InputRefused) return error.code;
  if (!(error instanceof Error)) return 'INTERNAL_ERROR';
  // By name: the agent's author may have brought another copy of LangGraph.
  if (error.name === 'GraphRecursionError') return 'RECURSION_LIMIT_EXCEEDED';
  return error.name === 'EmptyInputError' ? 'INPUT_INVALID' : 'INTERNAL_ERROR';
};

const nodeErrorCode = ({ error: { code, retryable } }: NodeFailed): RunErrorCode => {
  if (code === 'MAX_RETRIES_EXCEEDED' || code === 'NON_RETRYABLE_ERROR') return code;
  return retryable === false ? 'NON_RETRYABLE_ERROR' : 'MAX_RETRIES_EXCEEDED';
};

const reasonOf = (error: unknown): string => {
  if (error instanceof NodeFailed) return `${error.node}: ${error.message}`;
  return asError(error).message;
};
