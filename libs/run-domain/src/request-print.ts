import type { RunFactOf } from '@millrace/contracts';
import { fingerprint } from './fingerprint.js';

type Request = Omit<RunFactOf<'RunRequested'>, 'kind'>;

/** The fields are named, so that a stored event (stamped, perhaps by a newer writer) compares with a command. */
export const requestPrint = (request: Request): string => {
  const { agent, appId, policy, input, seedState, threadId } = request;
  const { projectId, userId, retryOf, forkOf, idempotencyKey } = request;
  const { improvedBy, improves, retryAsked, retryOnFailure } = request;
  return fingerprint([
    { agent, appId, policy, input, seedState, threadId },
    { projectId, userId, retryOf, forkOf, idempotencyKey, improvedBy, improves, retryAsked, retryOnFailure },
  ]);
};
