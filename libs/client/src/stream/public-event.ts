import type { RunEvent } from '@millrace/contracts';
import { isPublic, isRunEventKind } from '@millrace/contracts/browser';
import { StreamBroken } from '../errors.js';

/** An event clients see: it has its place among those. */
export type PublicEvent = RunEvent & { readonly sequence: number };
export type TokenDelta = Extract<PublicEvent, { kind: 'TokenDelta' }> & { readonly fromSequence?: number };

export const firstSequenceOf = (event: PublicEvent): number =>
  'fromSequence' in event && typeof event.fromSequence === 'number' ? event.fromSequence : event.sequence;

export const parseEvent = (data: string): PublicEvent | undefined => {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch (cause) {
    throw new StreamBroken('A frame of the stream is not JSON', { cause });
  }
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
