import { EventId, type RunEvent, type RunFact, type RunRef } from '@millrace/contracts';
import { advance, EMPTY_TAIL, stampEvent, type Appended, type Tail } from '@millrace/ports';
import { aRunRef } from './commands.js';

/** The facts as a log stores them, one second apart and with the same ids on every machine. */
export const stored = (facts: Iterable<RunFact>, run: RunRef = aRunRef): RunEvent[] => {
  let tail = EMPTY_TAIL;
  return Array.from(facts, (fact) => {
    const appended = storedAfter(tail, fact, run);
    tail = appended.tail;
    return appended.event;
  });
};

/** What an append of the fact answers while history ends at `tail`. */
export const storedAfter = (tail: Tail, fact: RunFact, run: RunRef = aRunRef): Appended => {
  const position = tail.position + 1;
  const eventId = EventId.parse(`01JE${run.runId.slice(-12)}${position.toString().padStart(10, '0')}`);
  const ts = new Date(FIRST_MS + position * 1_000).toISOString();
  const { event } = stampEvent(run, { ...fact, eventId, ts }, tail);
  return { event, tail: advance(tail, event, position + 1) };
};

const FIRST_MS = Date.UTC(2026, 0, 12, 10);
