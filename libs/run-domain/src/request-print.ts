import type { RunFactOf } from '@millrace/contracts';
import { fingerprint } from './fingerprint.js';

type Request = Omit<RunFactOf<'RunRequested'>, 'kind'>;
type Defaulted = NonNullable<Request['defaulted']>[number];

/**
 * The fields are named, so that a stored event (stamped, perhaps by a newer writer) compares with a command. What came
 * from a default does not count, only that it did: the default may have become another one when the request is repeated.
 */
export const requestPrint = (request: Request): string => {
  const { defaulted, input, seedState, threadId } = request;
  const said = (name: Defaulted) => (defaulted?.includes(name) ? undefined : request[name]);
  const { projectId, userId, retryOf, forkOf, idempotencyKey } = request;
  const { improvedBy, improves, retryAsked, retryOnFailure } = request;
  return fingerprint([
    { agent: said('agent'), appId: said('appId'), policy: said('policy'), defaulted, input, seedState, threadId },
    { projectId, userId, retryOf, forkOf, idempotencyKey, improvedBy, improves, retryAsked, retryOnFailure },
  ]);
};
