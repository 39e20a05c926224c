import {
  BlobRef,
  decodeRunEvent,
  EventInvalid,
  MAX_INLINE_BYTES,
  parseRunEvent,
  type RunEvent,
  type RunRef,
} from '@millrace/contracts';
import type { BlobStore, StampedEvent } from '@millrace/ports';

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

/** The event as it was before {@link packEvent}. `run` is read from its subject, and the event must agree with it. */
export function unpackEvent(packed: PackedEvent, run: RunRef, blobs: BlobStore): RunEvent | Promise<RunEvent> {
  if (packed.referenced.length === 0) return unpackInline(packed.bytes, run);
  return unpackReferenced(packed, run, blobs);
}

export const unpackInline = (bytes: Uint8Array, run: RunRef): RunEvent => requireOf(run, decodeRunEvent(bytes));

export async function unpackReferenced(packed: PackedEvent, run: RunRef, blobs: BlobStore): Promise<RunEvent> {
  const stored = decodeObject(packed.bytes);
  const fetched = await Promise.all(
    packed.referenced.map(async (name) => [name, await fetchField(name, stored[name])] as const),
  );
  return requireOf(run, parseRunEvent({ ...stored, ...Object.fromEntries(fetched) }));

  async function fetchField(name: string, value: unknown): Promise<unknown> {
    const ref = BlobRef.safeParse(value);
    if (!ref.success) throw new EventInvalid(`${name}: a reference was announced and is not there`);
    const bytes = await blobs.get(run.tenantId, ref.data);
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

const decodeObject = (bytes: Uint8Array): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch (cause) {
    throw new EventInvalid(`${bytes.byteLength} bytes that are no JSON text`, { cause });
  }
  throw new EventInvalid('an event is a JSON object');
};
