import { z } from 'zod';
import { PlatformError } from '@millrace/kernel';
import { isPublic } from './classification.js';
import { RunEvent } from './events/run-event.js';
import { ThreadEvent } from './events/thread-event.js';

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
  const event = parsed.data;
  const shown = isPublic(event);
  const numbered = 'sequence' in event && event.sequence !== undefined;
  if (shown && !numbered) throw new EventInvalid(`${event.kind}: sequence: a public event needs one`);
  if (!shown && numbered) throw new EventInvalid(`${event.kind}: sequence: an internal event has none`);
  return value as RunEvent;
};

export const parseThreadEvent = (value: unknown): ThreadEvent => {
  const parsed = ThreadEvent.safeParse(value);
  if (!parsed.success) throw new EventInvalid(describe(value, parsed.error));
  return value as ThreadEvent;
};

const describe = (value: unknown, error: z.ZodError): string => {
  const kind = value !== null && typeof value === 'object' && 'kind' in value ? String(value.kind).slice(0, 60) : '?';
  const problems = error.issues.slice(0, 5).map((issue) => `${issue.path.join('.') || '(event)'}: ${issue.message}`);
  return `${kind}: ${problems.join('; ')}`;
};
