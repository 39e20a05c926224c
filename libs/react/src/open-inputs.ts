import type { PublicEvent } from '@millrace/client';
import { isTerminal } from '@millrace/contracts/browser';

export type InputRequested = Extract<PublicEvent, { kind: 'InputRequested' }>;

/** What waits for an answer after the event, in the order it was asked. */
export const openInputs = (open: readonly InputRequested[], event: PublicEvent): readonly InputRequested[] => {
  if (event.kind === 'InputRequested') return [...open, event];
  if (isTerminal(event)) return open.length === 0 ? open : [];
  if (event.kind !== 'InputProvided' && event.kind !== 'InputExpired') return open;
  return open.filter(({ requestId }) => requestId !== event.requestId);
};
