import {
  decodeRunEvent,
  decodeThreadEvent,
  EventInvalid,
  parseSubject,
  type RunEvent,
  type RunRef,
  type ThreadEvent,
} from '@millrace/contracts';
import { advance, EMPTY_TAIL, type StorePlace, type Tail } from '@millrace/ports';
import { bytesOf, countWhile, type StoredMessage } from './memory-stream.js';

/** The event in the message; throws EventInvalid when it holds none of the run or thread its subject names. */
export const eventOf = (message: StoredMessage): RunEvent | ThreadEvent => {
  if (message.stored) return message.stored.event;
  const about = parseSubject(message.subject);
  if (about === undefined) throw new EventInvalid(`${message.subject} is the subject of no event`);
  const event = about.type === 'run' ? decodeRunEvent(bytesOf(message)) : decodeThreadEvent(bytesOf(message));
  const isOfSubject = about.type === 'run' ? isEventOf(event, about) : 'threadId' in event;
  if (!isOfSubject) throw new EventInvalid(`${message.subject} holds an event of another run`);
  return event;
};

export const runEventOf = (message: StoredMessage): RunEvent => {
  const event = eventOf(message);
  if (!('runId' in event)) throw new EventInvalid(`${message.subject} holds no event of a run`);
  return event;
};

/** The tail behind the last of them. What no append of ours wrote has none. */
export const tailOf = (history: readonly StoredMessage[]): Tail => {
  const last = history.at(-1);
  if (!last) return EMPTY_TAIL;
  if (!last.stored?.tail) throw new EventInvalid(`Message ${last.place} was not appended by Millrace`);
  return last.stored.tail;
};

/** The tail behind one of them, after `before`. */
export const tailBehind = (message: StoredMessage, before: Tail): Tail =>
  message.stored?.tail ?? advance(before, runEventOf(message), message.place);

export const storedUntil = (history: readonly StoredMessage[], untilMs: number): readonly StoredMessage[] => {
  if ((history.at(-1)?.storedAtMs ?? 0) <= untilMs) return history;
  return history.slice(
    0,
    countWhile(history, ({ storedAtMs }) => storedAtMs <= untilMs),
  );
};

/** When the first of them at the place or behind it was stored. */
export const storedBy = (history: readonly StoredMessage[], place: StorePlace): number | undefined =>
  history[countWhile(history, (message) => message.place < place)]?.storedAtMs;

/** Handed out to everybody as it is: so that no reader changes history through it. */
export const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
};

const isEventOf = (event: object, { tenantId, runId }: RunRef): boolean =>
  'runId' in event && 'tenantId' in event && event.tenantId === tenantId && event.runId === runId;
