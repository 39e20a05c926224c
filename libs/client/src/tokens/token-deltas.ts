import { firstSequenceOf, type PublicEvent } from '@millrace/contracts/browser';
import type { TokenDelta } from '../stream/public-event.js';

export const isTokenDelta = (event: PublicEvent): event is TokenDelta => event.kind === 'TokenDelta';

/** Pieces of one and the same speech: another attempt says it anew, another node says something else. */
export const isSameSpeech = (one: TokenDelta, other: TokenDelta): boolean =>
  one.taskKey === other.taskKey &&
  one.attempt === other.attempt &&
  one.node === other.node &&
  one.iteration === other.iteration &&
  one.agentId === other.agentId &&
  one.within === other.within;

/**
 * One delta with the text of all: the first one's fields, the last one's id and sequence, so that whoever resumes
 * behind it misses nothing and gets nothing twice. `fromSequence` says where it begins, as the server's own merges do.
 */
export const mergeTokenDeltas = (deltas: readonly [TokenDelta, ...TokenDelta[]]): TokenDelta => {
  const [first] = deltas;
  const last = deltas.at(-1) ?? first;
  if (first === last) return first;
  return {
    ...first,
    text: deltas.map(({ text }) => text).join(''),
    eventId: last.eventId,
    sequence: last.sequence,
    fromSequence: firstSequenceOf(first),
  };
};

/** Neighbouring deltas of one speech as one; everything else in its place and order. */
export const coalesceTokenDeltas = (events: readonly PublicEvent[]): PublicEvent[] => {
  const buffer = new DeltaBuffer();
  return [...events.flatMap((event) => buffer.take(event)), ...buffer.flush()];
};

/** Holds back deltas that the next event may continue. */
export class DeltaBuffer {
  #held: TokenDelta[] = [];

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** What can be given out now that the event is here. */
  take(event: PublicEvent): PublicEvent[] {
    if (!isTokenDelta(event)) return [...this.flush(), event];
    const [first] = this.#held;
    const before = first && !isSameSpeech(first, event) ? this.flush() : [];
    this.#held.push(event);
    return before;
  }

  flush(): PublicEvent[] {
    const [first, ...rest] = this.#held;
    this.#held = [];
    return first ? [mergeTokenDeltas([first, ...rest])] : [];
  }
}
