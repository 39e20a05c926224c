import { JetStreamApiError } from '@nats-io/jetstream';

/** JetStream's error codes we tell apart. Matched by number: the texts change. */
export const STREAM_NOT_FOUND = 10059;
export const CONSUMER_NOT_FOUND = 10014;
export const STREAM_EXISTS = 10058;
export const CONSUMER_EXISTS = 10148;
export const NO_SPACE = 10047;
export const NO_MEMORY = 10028;

export const codeOf = (cause: unknown): number | undefined =>
  cause instanceof JetStreamApiError ? cause.apiError().err_code : undefined;

/** Somebody else has written; a replicated stream has a code of its own for it. */
export const isWrongLastSequence = (cause: unknown): boolean => {
  const code = codeOf(cause);
  return code === 10071 || code === 10164;
};

/** Stream, account or server at their limits. */
export const isFull = (cause: unknown): boolean => FULL.has(codeOf(cause) ?? 0);
const FULL: ReadonlySet<number> = new Set([10077, 10054, 10002, NO_SPACE, 10023]);
