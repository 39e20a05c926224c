import type { StorePlace } from '@millrace/ports';

/** A distance is written in digits of seven bits, the lowest first; the highest bit of a byte says that another follows. */
const DIGIT = 128;
const LONGEST_DISTANCE = 8;
const LEAST_BYTES = 64;

/** Rising places, each kept as its distance from the one before: a byte or two for each, however many they are. */
export class PlaceList {
  #bytes = new Uint8Array(LEAST_BYTES);
  #start = 0;
  #end = 0;
  /** The first distance is counted from it. */
  #before: StorePlace;
  #last: StorePlace;

  /** `saved` is what {@link save} made of places behind `before`. */
  constructor(before: StorePlace, saved = '') {
    this.#before = before;
    this.#last = before;
    const distances = Buffer.from(saved, 'base64');
    for (let at = 0, place = before; at < distances.length;) {
      const [distance, next] = distanceAt(distances, at);
      this.add((place += distance));
      at = next;
    }
  }

  get bytes(): number {
    return this.#end - this.#start;
  }

  get isEmpty(): boolean {
    return this.#end === this.#start;
  }

  /** All places in the list lie behind it. */
  get before(): StorePlace {
    return this.#before;
  }

  /** The last place that was added, also when it was dropped since. */
  get last(): StorePlace {
    return this.#last;
  }

  first(most: number): StorePlace[] {
    const places: StorePlace[] = [];
    for (let at = this.#start, place = this.#before; at < this.#end && places.length < most;) {
      const [distance, next] = distanceAt(this.#bytes, at);
      places.push((place += distance));
      at = next;
    }
    return places;
  }

  /** A place that is not behind the last one is in the list already, or was. */
  add(place: StorePlace): void {
    if (place <= this.#last) return;
    if (this.#end + LONGEST_DISTANCE > this.#bytes.length) this.makeRoom();
    let distance = place - this.#last;
    for (; distance >= DIGIT; distance = Math.floor(distance / DIGIT)) {
      this.#bytes[this.#end] = (distance % DIGIT) + DIGIT;
      this.#end += 1;
    }
    this.#bytes[this.#end] = distance;
    this.#end += 1;
    this.#last = place;
  }

  /** Forgets the places up to this one. */
  drop(through: StorePlace): void {
    while (this.#start < this.#end) {
      const [distance, next] = distanceAt(this.#bytes, this.#start);
      if (this.#before + distance > through) return;
      this.#before += distance;
      this.#start = next;
    }
  }

  /** As many of the first places as fit into so many bytes. */
  save(mostBytes: number): string {
    let end = Math.min(this.#end, this.#start + mostBytes);
    while (end > this.#start && this.#bytes[end - 1]! >= DIGIT) end -= 1; // no half of a distance
    return Buffer.from(this.#bytes.subarray(this.#start, end)).toString('base64');
  }

  /** The room of what was dropped is used again. */
  private makeRoom(): void {
    const kept = this.#bytes.subarray(this.#start, this.#end);
    const bytes = new Uint8Array(Math.max(2 * kept.length, LEAST_BYTES));
    bytes.set(kept);
    [this.#bytes, this.#start, this.#end] = [bytes, 0, kept.length];
  }
}

const distanceAt = (bytes: Uint8Array, start: number): [distance: number, next: number] => {
  let distance = 0;
  for (let at = start, value = 1; ; at += 1, value *= DIGIT) {
    const digit = bytes[at]!;
    distance += (digit % DIGIT) * value;
    if (digit < DIGIT) return [distance, at + 1];
  }
};
