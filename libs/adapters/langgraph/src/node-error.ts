import type { NodeError } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { JsonObject } from './json-object.js';

/** What the log keeps of an error: enough for a handler to tell it apart, without the stack. */
export const packError = (error: unknown): NodeError => {
  if (!isErrorLike(error)) return { message: String(error) };
  const code = codeOf(error);
  return {
    message: error.message,
    name: error.name,
    ...(code === undefined ? {} : { code }),
    ...(error instanceof PlatformError ? { retryable: error.redelivery === 'retry' } : {}),
  };
};

export const reviveError = ({ message, name, code }: NodeError): Error => {
  const error = Object.assign(new Error(message), code === undefined ? {} : { code });
  if (name !== undefined) error.name = name;
  error.stack = `${error.name}: ${message}`; // where it was read says nothing
  return error;
};

/** The FAILURE of a node, thrown where the graph waits for its result; looks like what the body threw. */
export class NodeFailed extends Error {
  readonly code: string | undefined;

  constructor(
    readonly node: string,
    readonly error: NodeError,
  ) {
    super(error.message);
    this.name = error.name ?? 'Error';
    this.code = error.code;
  }
}

export const errorToJson = (error: Error): JsonObject => {
  const { name, message } = error;
  const code = codeOf(error);
  return { name, message, ...(code === undefined ? {} : { code }) };
};

export const errorFromJson = ({ name, message, code }: JsonObject): Error =>
  reviveError({
    message: String(message),
    name: String(name),
    ...(typeof code === 'string' ? { code } : {}),
  });

const isErrorLike = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'message' in error && 'name' in error;

const codeOf = (error: Error): string | undefined => {
  const { code, lc_error_code: langChainCode } = error as { code?: unknown; lc_error_code?: unknown };
  if (typeof code === 'string') return code;
  return typeof langChainCode === 'string' ? langChainCode : undefined;
};
