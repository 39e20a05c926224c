import {
  BlobRef,
  EventInvalid,
  MAX_INLINE_BYTES,
  parseAppendedEvent,
  parseRunEvent,
  type RunEvent,
  type RunRef,
} from '@millrace/contracts';
import type { BlobStore, StampedEvent } from '@millrace/ports';
import type { MsgHdrs } from '@nats-io/nats-core';
import { positionIn, referencedIn } from './event-headers.js';

export interface PackedEvent {
  readonly bytes: Uint8Array;
  /** The fields that were moved out. */
  readonly referenced: readonly string[];
}

const MEDIA_TYPE = 'application/json';
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Fields the log itself reads must be in the event. */
const NEVER_MOVED: ReadonlySet<string> = new Set([
  'eventId',
  'tenantId',
  'runId',
  'position',
  'sequence',
  'ts',
  'kind',
  'version',
]);

/** Moves the largest fields to the object store until the event fits. Inline and moved payloads read the same. */
export async function packEvent({ event, text }: StampedEvent, blobs: BlobStore): Promise<PackedEvent> {
  const bytes = encoder.encode(text);
  if (bytes.byteLength <= MAX_INLINE_BYTES) return { bytes, referenced: [] };
  const fields = Object.entries(event)
    .filter(([name, value]) => !NEVER_MOVED.has(name) && value !== undefined)
    .map(([name, value]) => ({ name, bytes: encoder.encode(JSON.stringify(value)) }))
    .sort((left, right) => right.bytes.byteLength - left.bytes.byteLength);
  const moved = new Map<string, BlobRef>();
  let size = bytes.byteLength;
  for (const field of fields) {
    if (size <= MAX_INLINE_BYTES) break;
    moved.set(field.name, await blobs.put(event.tenantId, field.bytes, MEDIA_TYPE));
    size -= field.bytes.byteLength;
  }
  const packed = encoder.encode(JSON.stringify({ ...event, ...Object.fromEntries(moved) }));
  return { bytes: packed, referenced: [...moved.keys()] };
}

/** A message of the log, however it came: read, delivered, or live. */
export interface LogMessage {
  readonly data: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
}

/** What an event of ours is stored as, for readers who pass it on as it is. */
export type EventTexts = WeakMap<RunEvent, string>;

/** The event as it was before {@link packEvent}. `run` is read from the subject of the message; the event must agree with it. */
export const unpackEvent = (message: LogMessage, run: RunRef, blobs: BlobStore, texts?: EventTexts) =>
  hasPayloads(message) ? unpackReferenced(message, run, blobs) : unpackInline(message, run, texts);

/** Whether a part of the event lies in the object store. */
export const hasPayloads = ({ headers }: LogMessage): boolean => referencedIn(headers).length > 0;

export function unpackInline(message: LogMessage, run: RunRef, texts?: EventTexts): RunEvent {
  const text = textIn(message.data);
  const event = eventIn(jsonIn(text), message, run);
  if (positionIn(message.headers) !== undefined) texts?.set(event, text);
  return event;
}

export async function unpackReferenced(message: LogMessage, run: RunRef, blobs: BlobStore): Promise<RunEvent> {
  const stored = jsonIn(textIn(message.data));
  return eventIn(await withPayloads(stored, referencedIn(message.headers), run, blobs), message, run);
}

/** What no append of ours wrote is validated. */
const eventIn = (value: unknown, { headers }: LogMessage, run: RunRef): RunEvent => {
  const position = positionIn(headers);
  return position === undefined
    ? requireOf(run, parseRunEvent(value))
    : parseAppendedEvent(value, { ...run, position });
};

async function withPayloads(
  stored: unknown,
  referenced: readonly string[],
  { tenantId }: RunRef,
  blobs: BlobStore,
): Promise<object> {
  if (typeof stored !== 'object' || stored === null) throw new EventInvalid('an event is a JSON object');
  const fields = new Map(Object.entries(stored));
  const fetched = await Promise.all(referenced.map(async (name) => [name, await payloadOf(name)] as const));
  return { ...stored, ...Object.fromEntries(fetched) };

  async function payloadOf(name: string): Promise<unknown> {
    const ref = BlobRef.safeParse(fields.get(name));
    if (!ref.success) throw new EventInvalid(`${name}: a reference was announced and is not there`);
    const bytes = await blobs.get(tenantId, ref.data);
    try {
      return JSON.parse(decoder.decode(bytes));
    } catch (cause) {
      throw new EventInvalid(`${name}: payload ${ref.data.ref} is no JSON text`, { cause });
    }
  }
}

const requireOf = ({ tenantId, runId }: RunRef, event: RunEvent): RunEvent => {
  if (event.tenantId === tenantId && event.runId === runId) return event;
  throw new EventInvalid(`${event.kind}: runId: the event of run ${event.runId} lies among those of run ${runId}`);
};

const textIn = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new EventInvalid(`${bytes.byteLength} bytes that are no text in UTF-8`, { cause });
  }
};

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new EventInvalid(`${text.length} characters that are no JSON text`, { cause });
  }
};
