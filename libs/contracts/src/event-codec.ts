import { z } from 'zod';
import { PlatformError } from '@millrace/kernel';
import { isPublic } from './classification.js';
import { RunEvent } from './events/run-event.js';
import { ThreadEvent } from './events/thread-event.js';
import { isRunEventKind } from './kinds.js';
import type { RunRef } from './subjects.js';

/** What was read is no event of ours. It will not become one by trying again. */
export class EventInvalid extends PlatformError {
  readonly code = 'EVENT_INVALID';
  readonly redelivery = 'park';
}

/**
 * Validates and hands back the very object it was given, unknown fields included. Refuses an unknown version, a kind
 * it does not know, and a sequence on an event that is internal (or none on one that is public).
 */
export const parseRunEvent = (value: unknown): RunEvent => {
  const parsed = RunEvent.safeParse(value);
  if (!parsed.success) throw new EventInvalid(describe(value, parsed.error));
  const event = value as RunEvent;
  const shown = isPublic(event);
  // Asked of the value itself: the schema of an internal kind does not know the field and would leave it out.
  const numbered = 'sequence' in event && event.sequence !== undefined;
  if (shown && !numbered) throw new EventInvalid(`${event.kind}: sequence: a public event needs one`);
  if (!shown && numbered) throw new EventInvalid(`${event.kind}: sequence: an internal event has none`);
  return event;
};

/** The event in a message's bytes. What is no UTF-8 or no JSON is refused like any other event that is none. */
export const decodeRunEvent = (bytes: Uint8Array): RunEvent => parseRunEvent(decodeJson(bytes));

/** Which event a message of the log holds, by its subject and headers. */
export interface AppendedAt extends RunRef {
  readonly position: number;
}

/**
 * An event that an append of ours stored. The append has validated it, so its reader checks only that it is the event that
 * was looked for, and of a kind and version it knows: a validation by the schema is most of what a read costs its process.
 */
export const parseAppendedEvent = (value: unknown, { tenantId, runId, position }: AppendedAt): RunEvent => {
  if (typeof value !== 'object' || value === null) throw new EventInvalid('an event is a JSON object');
  const event = value as Partial<RunEvent>;
  if (typeof event.kind !== 'string' || !isRunEventKind(event.kind) || event.version !== '1')
    return parseRunEvent(value);
  if (event.tenantId === tenantId && event.runId === runId && event.position === position) return event as RunEvent;
  const found = `event ${event.position} of run ${event.runId}`;
  throw new EventInvalid(`${event.kind}: ${found} lies where event ${position} of run ${runId} should lie`);
};

export const parseThreadEvent = (value: unknown): ThreadEvent => {
  const parsed = ThreadEvent.safeParse(value);
  if (!parsed.success) throw new EventInvalid(describe(value, parsed.error));
  return value as ThreadEvent;
};

export const decodeThreadEvent = (bytes: Uint8Array): ThreadEvent => parseThreadEvent(decodeJson(bytes));

const decoder = new TextDecoder('utf-8', { fatal: true });

const decodeJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new EventInvalid(`${bytes.byteLength} bytes that are no JSON text`, { cause });
  }
};

const describe = (value: unknown, error: z.ZodError): string => {
  // Only a string is quoted: turning a hostile object into one can throw, or recurse until the stack ends.
  const named = value !== null && typeof value === 'object' && 'kind' in value && typeof value.kind === 'string';
  const kind = named ? (value.kind as string).slice(0, 60) : '?';
  const problems = error.issues.slice(0, 5).map((issue) => `${issue.path.join('.') || '(event)'}: ${issue.message}`);
  return `${kind}: ${problems.join('; ')}`;
};
