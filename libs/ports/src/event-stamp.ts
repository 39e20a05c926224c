import { EventInvalid, isPublic, isRunEventKind, parseRunEvent, type RunEvent, type RunRef } from '@millrace/contracts';
import { PlaceIndex } from './place-index.js';
import type { EventDraft, Tail } from './run-log.port.js';

/** An event as every reader will see it, and the text that is stored. */
export interface StampedEvent {
  readonly event: RunEvent;
  readonly text: string;
}

/**
 * The draft at the place after `tail`. What comes back has been through JSON already, so a writer holds the very value
 * its readers will; what JSON cannot say, or what is no event, is refused with EventInvalid before it leaves.
 */
export const stampEvent = ({ tenantId, runId }: RunRef, draft: EventDraft, tail: Tail): StampedEvent => {
  if (!isRunEventKind(draft.kind)) throw new EventInvalid(`kind: no such kind: ${JSON.stringify(draft.kind)}`);
  const order = {
    position: tail.position + 1,
    ...(isPublic(draft) ? { sequence: tail.sequence + 1 } : {}),
  };
  const { eventId, ts, ...fact } = draft;
  const text = toJson(draft.kind, { eventId, tenantId, runId, ...order, ts, version: '1', ...fact });
  return { event: parseRunEvent(JSON.parse(text)), text };
};

/** The tail once the event is stored. */
export const advance = (tail: Tail, event: RunEvent, streamSequence: number): Tail => ({
  streamSequence,
  position: event.position,
  sequence: 'sequence' in event && event.sequence !== undefined ? event.sequence : tail.sequence,
  places: tail.position < 0 ? PlaceIndex.first : tail.places?.behind(tail.streamSequence),
});

const toJson = (kind: string, event: object): string => {
  try {
    return JSON.stringify(event);
  } catch (cause) {
    throw new EventInvalid(`${kind}: holds what JSON cannot say`, { cause });
  }
};
