import { JetStreamApiError } from '@nats-io/jetstream';
import { NoRespondersError, TimeoutError } from '@nats-io/nats-core';
import { types } from 'node:util';

/** JetStream's error codes we tell apart. Matched by number: the texts change. */
export const STREAM_NOT_FOUND = 10059;
export const CONSUMER_NOT_FOUND = 10014;
export const STREAM_EXISTS = 10058;
export const CONSUMER_EXISTS = 10148;
export const NO_SPACE = 10047;
export const NO_MEMORY = 10028;
/** Fewer servers of the cluster can take the stream than it wants copies. */
export const NO_PEERS = 10005;

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

/** A request of JetStream's API that may well succeed a moment later: no leader answered, or one that is not ready. */
export const passes = (cause: unknown): boolean => {
  if (cause instanceof JetStreamApiError) return cause.status >= 500;
  if (cause instanceof TimeoutError || cause instanceof NoRespondersError) return true;
  return types.isNativeError(cause) && cause.cause !== undefined && passes(cause.cause);
};
