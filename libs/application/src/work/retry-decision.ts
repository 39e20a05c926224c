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

/** As it is stored: what people and later attempts need, without the stack. */
export const describeError = (error: unknown, extra: Partial<NodeError> = {}): NodeError => {
  if (!(error instanceof Error)) return { message: String(error), ...extra };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return { message: error.message, name: error.name, ...code, ...extra };
};
