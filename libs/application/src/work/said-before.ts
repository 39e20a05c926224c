import type { RunEvent } from '@millrace/contracts';
import type { SpokenFact } from '@millrace/run-domain';

/**
 * A body that continues after a wait runs from its start, and says again what it said before it waited. That stands in
 * the log already, so it is passed over: text by its length, since deltas may have been merged, the rest by its number.
 */
export class SaidBefore {
  readonly #texts = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  constructor(said: readonly RunEvent[]) {
    for (const event of said) {
      if (event.kind === 'TokenDelta' || event.kind === 'ThoughtDelta') {
        this.#texts.set(event.kind, (this.#texts.get(event.kind) ?? 0) + event.text.length);
      } else {
        this.#counts.set(event.kind, (this.#counts.get(event.kind) ?? 0) + 1);
      }
    }
  }

  /** What of the fact is new; undefined when nothing is. */
  rest(fact: SpokenFact): SpokenFact | undefined {
    if (fact.kind === 'TokenDelta' || fact.kind === 'ThoughtDelta') {
      const left = this.#texts.get(fact.kind) ?? 0;
      if (left === 0) return fact;
      this.#texts.set(fact.kind, Math.max(left - fact.text.length, 0));
      return fact.text.length <= left ? undefined : { ...fact, text: fact.text.slice(left) };
    }
    const left = this.#counts.get(fact.kind) ?? 0;
    if (left === 0) return fact;
    this.#counts.set(fact.kind, left - 1);
    return undefined;
  }
}
