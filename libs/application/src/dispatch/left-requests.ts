import type { StorePlace } from '@millrace/ports';
import { PlaceList } from './place-list.js';

/** Requests that are left to the log: at these places; or somewhere between two, both inclusive, and to be found first. */
export type LeftToLog =
  { readonly places: readonly StorePlace[] } | { readonly from: StorePlace; readonly to: StorePlace };

export interface SavedLeft {
  /** No request lies before it. */
  readonly from: StorePlace;
  /** The last request. */
  readonly to: StorePlace;
  /** Where the first of them lie, counted from the place before `from`. Older code neither writes nor reads it. */
  readonly places?: string | undefined;
}

/** So many are read at a time. */
const HANDFUL = 48;
/** Enough for a few million requests. */
const MOST_BYTES = 4 * 1024 ** 2;

/**
 * The requests of a line that are left to the log, in their order. Of the first ones the places are known: to read them
 * costs the same whatever lies between. Of more than fit only the range is kept, and its places are found when all before
 * it have been read.
 *
 * I1  All known places lie before the range.
 */
export class LeftRequests {
  readonly #known: PlaceList;
  /** The range lies behind it. */
  #through: StorePlace;
  #to: StorePlace;

  constructor(
    { from, to, places }: SavedLeft,
    private readonly mostBytes = MOST_BYTES,
  ) {
    this.#known = new PlaceList(from - 1, places);
    this.#through = this.#known.last;
    this.#to = to;
  }

  get isEmpty(): boolean {
    return this.#known.isEmpty && !this.hasRange;
  }

  get wanted(): LeftToLog {
    if (this.#known.isEmpty) return { from: this.#through + 1, to: this.#to };
    return { places: this.#known.first(HANDFUL) };
  }

  /** No request lies before it. */
  get from(): StorePlace {
    const [first] = this.#known.first(1);
    return first ?? this.#through + 1;
  }

  save(mostBytes: number): SavedLeft {
    if (this.#known.isEmpty) return { from: this.from, to: this.#to };
    return { from: this.#known.before + 1, to: this.#to, places: this.#known.save(mostBytes) };
  }

  add(place: StorePlace): void {
    if (!this.hasRange && this.#known.bytes < this.mostBytes) {
      this.#known.add(place);
      this.#through = this.#known.last;
    }
    this.#to = Math.max(this.#to, place); // I1: behind a range it is part of it
  }

  /** Those up to here have been read. */
  drop(through: StorePlace): void {
    this.#known.drop(through);
  }

  /** In the range, up to `through`, requests lie at these places and at no others. */
  locate(places: readonly StorePlace[], through: StorePlace): void {
    for (const place of places) this.#known.add(place);
    this.#through = Math.max(this.#through, through);
  }

  private get hasRange(): boolean {
    return this.#through < this.#to;
  }
}
