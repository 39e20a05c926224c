import { PlaceIndex, type Tail } from '@millrace/ports';
import { headers, type MsgHdrs } from '@nats-io/nats-core';
import { context, propagation, type TextMapSetter } from '@opentelemetry/api';

/** On every stored event, so that a run's tail is read from its last message alone. */
const POSITION = 'Millrace-Position';
/** The last public sequence so far, on internal events too; -1 before the first. */
const SEQUENCE = 'Millrace-Sequence';
/** Where the events before it lie, see PlaceIndex. */
const PLACES = 'Millrace-Places';
/** Names of the fields whose value lies in the object store; the event holds a reference in their place. */
const REFERENCED = 'Millrace-Referenced';
/** Where the first announcement of an agent's version was stored, on those that took its place. */
export const ANNOUNCED_SINCE = 'Millrace-Announced-Since';
const STREAM_SEQUENCE = 'Nats-Sequence';
const SUBJECT = 'Nats-Subject';

export function eventHeaders(tail: Omit<Tail, 'streamSequence'>, referenced: readonly string[]): MsgHdrs {
  const built = headers();
  built.set(POSITION, String(tail.position));
  built.set(SEQUENCE, String(tail.sequence));
  if (tail.places) built.set(PLACES, tail.places.toString());
  if (referenced.length > 0) built.set(REFERENCED, referenced.join(','));
  propagation.inject(context.active(), built, traceSetter);
  return built;
}

/** The position of an event that an append of ours wrote; undefined for another message. */
export function positionIn(found: MsgHdrs | undefined): number | undefined {
  const position = Number(found?.get(POSITION) || Number.NaN);
  return Number.isInteger(position) ? position : undefined;
}

/** How far the history went with this message; undefined for one that no append of ours wrote. */
export function tailIn(found: MsgHdrs | undefined, streamSequence: number): Tail | undefined {
  const position = positionIn(found);
  const sequence = Number(found?.get(SEQUENCE) || Number.NaN);
  if (position === undefined || !Number.isInteger(sequence)) return undefined;
  const places = found?.get(PLACES);
  return { streamSequence, position, sequence, places: places ? PlaceIndex.parse(position, places) : undefined };
}

/** Where the stream keeps a message that came by direct get or republish. */
export const streamSequenceIn = (found: MsgHdrs | undefined): number => Number(found?.get(STREAM_SEQUENCE));

/** The subject a message that came by direct get is stored under. */
export const subjectIn = (found: MsgHdrs | undefined): string => found?.get(SUBJECT) ?? '';

export const sinceIn = (found: MsgHdrs | undefined): number | undefined =>
  Number(found?.get(ANNOUNCED_SINCE)) || undefined;

export const referencedIn = (found: MsgHdrs | undefined): string[] => {
  const names = found?.get(REFERENCED) ?? '';
  return names === '' ? [] : names.split(',');
};

export const traceSetter: TextMapSetter<MsgHdrs> = { set: (carrier, key, value) => carrier.set(key, value) };
