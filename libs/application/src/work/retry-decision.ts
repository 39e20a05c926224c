import type { NodeError } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { NodeRetryPolicy } from '@millrace/ports';

export type RetryDecision =
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'give up'; readonly errorCode: 'MAX_RETRIES_EXCEEDED' | 'NON_RETRYABLE_ERROR' };

const DEFAULTS = { maxAttempts: 3, firstDelayMs: 2_000, factor: 2, maxDelayMs: 60_000 };

/** After the failure with this number (1 for the first). */
export function decideRetry(error: unknown, failures: number, policy: NodeRetryPolicy = {}): RetryDecision {
  const { maxAttempts = DEFAULTS.maxAttempts, firstDelayMs = DEFAULTS.firstDelayMs } = policy;
  const { factor = DEFAULTS.factor, maxDelayMs = DEFAULTS.maxDelayMs, isRetryable = isRetryableByType } = policy;
  if (!isRetryable(error)) return { kind: 'give up', errorCode: 'NON_RETRYABLE_ERROR' };
  if (failures >= maxAttempts) return { kind: 'give up', errorCode: 'MAX_RETRIES_EXCEEDED' };
  return { kind: 'retry', afterMs: Math.min(firstDelayMs * factor ** (failures - 1), maxDelayMs) };
}

/** An error of ours says so itself. A broken program or bad data stays so; anything else may pass. */
const isRetryableByType = (error: unknown): boolean => {
  if (error instanceof PlatformError) return error.redelivery === 'retry';
  const name = error instanceof Error ? error.name : '';
  return !HOPELESS.has(name);
};

const HOPELESS: ReadonlySet<string> = new Set([
  'TypeError',
  'ReferenceError',
  'SyntaxError',
  'RangeError',
  'ZodError',
  'ZodRealError',
]);

const LONGEST_MESSAGE = 10_000;
const LONGEST_NAME = 200;

/** As it is stored: what people and later attempts need, bounded, and without the stack, which the worker's log has. */
export const describeError = (error: unknown, extra: Partial<NodeError> = {}): NodeError => {
  if (!(error instanceof Error)) return { message: bounded(error, LONGEST_MESSAGE), ...extra };
  const { message, name } = error;
  const code = 'code' in error && typeof error.code === 'string' ? { code: bounded(error.code, LONGEST_NAME) } : {};
  return { message: bounded(message, LONGEST_MESSAGE), name: bounded(name, LONGEST_NAME), ...code, ...extra };
};

/** Authors may have put anything in place of a text. */
const bounded = (value: unknown, most: number): string => {
  const text = String(value).toWellFormed();
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
};
