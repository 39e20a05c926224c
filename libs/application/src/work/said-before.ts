import type { RunEvent } from '@millrace/contracts';
import type { SpokenFact } from '@millrace/run-domain';

/** What a body says in its own words: said again, it is passed over. The others are recorded under a key or an id. */
export type Words = Exclude<
  SpokenFact,
  { kind: 'ModelRequested' | 'ModelResponded' | 'EffectRecorded' | 'PolicySwitched' }
>;

/** How much of each sort the attempts that still stand have said: texts by their length, since deltas may be merged. */
export class SaidSoFar {
  readonly texts = new Map<string, number>();
  readonly counts = new Map<string, number>();

  add(event: RunEvent): void {
    const [sums, more] =
      event.kind === 'TokenDelta' || event.kind === 'ThoughtDelta' ? [this.texts, event.text.length] : [this.counts, 1];
    sums.set(placeOf(event), (sums.get(placeOf(event)) ?? 0) + more);
  }
}

/**
 * A body that continues after a wait runs from its start, and says again what it said before it waited. That stands in
 * the log already, so it is passed over: text by its length, since deltas may have been merged, the rest by its number.
 * Each call counts for itself: one that was recorded is not made again, and what was said in it is not said again either.
 */
export class SaidBefore {
  readonly #texts: Map<string, number>;
  readonly #counts: Map<string, number>;

  constructor({ texts, counts }: SaidSoFar) {
    this.#texts = new Map(texts);
    this.#counts = new Map(counts);
  }

  /** What of the fact is new; undefined when nothing is. */
  rest(fact: Words): Words | undefined {
    const place = placeOf(fact);
    if (fact.kind === 'TokenDelta' || fact.kind === 'ThoughtDelta') {
      const left = this.#texts.get(place) ?? 0;
      if (left === 0) return fact;
      this.#texts.set(place, Math.max(left - fact.text.length, 0));
      return fact.text.length <= left ? undefined : { ...fact, text: fact.text.slice(left) };
    }
    const left = this.#counts.get(place) ?? 0;
    if (left === 0) return fact;
    this.#counts.set(place, left - 1);
    return undefined;
  }
}

const placeOf = (said: { readonly kind: string; readonly within?: string | undefined }): string =>
  `${said.kind} ${said.within ?? ''}`;
