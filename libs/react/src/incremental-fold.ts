import { useState } from 'react';

/**
 * What a growing list comes to, without reading it again from its beginning: as long as a list continues the one before,
 * only what is new is folded. It is a memory of a pure function, so a drawing that React throws away does no harm.
 */
export class IncrementalFold<E, S> {
  #state: S;
  #count = 0;
  #last: E | undefined;

  constructor(
    private readonly initial: S,
    private readonly step: (state: S, event: E) => S,
  ) {
    this.#state = initial;
  }

  of(events: readonly E[]): S {
    if (!this.#continues(events)) {
      this.#state = this.initial;
      this.#count = 0;
    }
    for (; this.#count < events.length; this.#count += 1)
      this.#state = this.step(this.#state, events[this.#count] as E);
    this.#last = events.at(-1);
    return this.#state;
  }

  #continues(events: readonly E[]): boolean {
    return events.length >= this.#count && (this.#count === 0 || events[this.#count - 1] === this.#last);
  }
}

export const useFold = <E, S>(events: readonly E[], initial: S, step: (state: S, event: E) => S): S => {
  const [fold] = useState(() => new IncrementalFold(initial, step));
  return fold.of(events);
};
