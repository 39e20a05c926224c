import { StreamBroken } from '../errors.js';
import type { SseFrame } from '../sse/sse-parser.js';
import type { Followed } from './sse-follow.js';

export interface FrameSets<T> {
  readonly path: string;
  /** The last event there is already; -1 for none. */
  readonly lastEventId: number;
  readonly parse: (frame: SseFrame, data: unknown) => T;
  readonly isLast: (said: T) => boolean;
}

/**
 * A dialect in which one event of the log may be several frames.
 *
 * I1  What one event stands for is given out whole: its frames are held back until the one with the id, so that a
 *     connection that dies between them costs nothing and repeats nothing.
 */
export class FrameSetReader<T> implements Followed<T> {
  readonly path: string;
  #cursor: number;
  #held: T[] = [];
  #isOver = false;

  constructor(private readonly sets: FrameSets<T>) {
    this.path = sets.path;
    this.#cursor = sets.lastEventId;
  }

  query = () => {
    this.#held = []; // I1
    return { fromSeq: this.#cursor + 1 };
  };
  progress = () => this.#cursor;
  isOver = () => this.#isOver;

  *read(frame: SseFrame): Generator<T> {
    this.#held.push(this.sets.parse(frame, parseJson(frame.data)));
    if (frame.id === undefined) return;
    const said = this.#held;
    this.#held = [];
    const place = Number(frame.id);
    if (place <= this.#cursor) return; // it was here before
    for (const each of said) {
      yield each;
      this.#isOver ||= this.sets.isLast(each);
    }
    this.#cursor = place;
  }
}

export const parseJson = (data: string): unknown => {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new StreamBroken('A frame of the stream is not JSON', { cause });
  }
};
