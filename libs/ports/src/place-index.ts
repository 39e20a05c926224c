import type { StorePlace } from './store.js';

/** A place an event names: of the last of `16 ** level` events of the run, the one at `position`. */
export interface NamedPlace {
  readonly position: number;
  readonly place: StorePlace;
  readonly level: number;
}

const RADIX = 16;

/**
 * Where the store keeps the events before an event of a run, so that a history that lies between those of a million other
 * runs is read by exact places.
 *
 * Positions are counted as by an odometer with digits of 16: level 0 names each event since the last multiple of 16, level
 * 1 the last event of each full 16 before these since the last multiple of 256, and so on. So the event at position n
 * names as many places as n's digits add up to, and each place with a level above 0 is that of an event that names the
 * events of its block in turn: any event is found in as many steps as n has digits.
 *
 * I1  An event has an index only when the event before it has one, or when it is the first: what an index names is whole.
 *     A history that was begun without indexes has none to its end.
 */
export class PlaceIndex {
  /** Of the first event of a run. */
  static readonly first = new PlaceIndex(0, []);

  #levels: readonly (readonly StorePlace[])[] | undefined;
  readonly #text: string | undefined;

  /** From its text: read only when it is needed, since most events of a page are read for themselves. */
  static parse(position: number, text: string): PlaceIndex {
    return new PlaceIndex(position, undefined, text);
  }

  private constructor(
    /** Of the event whose index this is. */
    readonly position: number,
    levels: readonly (readonly StorePlace[])[] | undefined,
    text?: string,
  ) {
    this.#levels = levels;
    this.#text = text;
  }

  /** Of the event that follows the one this index belongs to, when that one is stored at `place`. */
  behind(place: StorePlace): PlaceIndex {
    const next = this.position + 1;
    const levels = [...this.levels];
    let level = 0;
    for (let rest = next; rest % RADIX === 0; rest /= RADIX) {
      levels[level] = [];
      level += 1;
    }
    levels[level] = [...(levels[level] ?? []), place];
    return new PlaceIndex(next, levels);
  }

  /** In the order of the history. */
  get named(): readonly NamedPlace[] {
    let ends = 0;
    return [...this.levels.entries()].reverse().flatMap(([level, places]) =>
      places.map((place) => {
        ends += RADIX ** level;
        return { position: ends - 1, place, level };
      }),
    );
  }

  /** Places from the first to the last, each as what it is more than the one before. */
  toString(): string {
    if (this.#text !== undefined) return this.#text;
    let before = 0;
    const steps = this.named.map(({ place }) => {
      const step = place - before;
      before = place;
      return step.toString(36);
    });
    return steps.length === 0 ? NONE : steps.join(' ');
  }

  /** A tail that went through JSON has none: its text travels by itself. */
  toJSON(): undefined {
    return undefined;
  }

  private get levels(): readonly (readonly StorePlace[])[] {
    return (this.#levels ??= levelsOf(this.position, this.#text ?? NONE));
  }
}

/** A header cannot be empty. */
const NONE = '-';

/** How many places each level has is told by the digits of the position. */
const levelsOf = (position: number, text: string): StorePlace[][] => {
  let place = 0;
  const places = text === NONE ? [] : text.split(' ').map((step) => (place += Number.parseInt(step, 36)));
  const levels: StorePlace[][] = [];
  for (let rest = position; rest > 0; rest = Math.floor(rest / RADIX)) {
    const digit = rest % RADIX;
    levels.push(digit === 0 ? [] : places.splice(-digit));
  }
  return levels;
};
