import { isPublic, isRunEventKind, type MergedDelta, type PublicEvent } from '@millrace/contracts/browser';
import { parseJson } from './frame-sets.js';

export type TokenDelta = Extract<MergedDelta, { kind: 'TokenDelta' }>;

export const parseEvent = (data: string): PublicEvent | undefined => {
  const event = parseJson(data);
  return isEvent(event) ? event : undefined;
};

/** Without a sequence it has no place among what clients see, and is not for them. */
export const isEvent = (event: unknown): event is PublicEvent =>
  typeof event === 'object' &&
  event !== null &&
  'kind' in event &&
  'sequence' in event &&
  Number.isSafeInteger(event.sequence);

/** A kind we do not know is a newer server's: code that switches over the kinds must not meet it. */
export const isForClients = (event: PublicEvent): boolean => isRunEventKind(event.kind) && isPublic(event);
