import { type RunRef, subjects } from '@millrace/contracts';
import type { NamedPlace, PlaceIndex, StorePlace } from '@millrace/ports';
import type { DirectReader } from './direct-reader.js';
import { subjectIn } from './event-headers.js';
import { atKnownPlace } from './known-place.js';
import { ReplicaLag } from './replica-lag.js';
import type { Arrival, arrivalsOf } from './run-arrivals.js';

/** An event as it lies in an indexed history. */
export type Indexed = Arrival & { readonly tail: { readonly places: PlaceIndex } & Arrival['tail'] };

/** The index of an event names a place where another one lies: it is of no use. */
export class IndexWrong extends Error {}

export const isIndexed = (arrival: Arrival | undefined): arrival is Indexed => arrival?.tail?.places !== undefined;

/** Positions, both inclusive. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** Own events that lie closer together than this cost less to find by a walk of the server than to ask for one by one. */
const NEAR_PLACES = 256;
const PAGE = 1_000;

/**
 * Reads a run by the places its events name: what lies between its events costs nothing. A direct get with a filter walks
 * from message to message until it finds one (measured: 0.15 ms for 1,000), so it is asked for only where events lie close
 * together; and each page ends with an event that is known to be there, never with a search for one that is not.
 */
export class HistoryByPlaces {
  readonly #subjects: string;
  readonly #read = new Map<StorePlace, Promise<Indexed>>();

  constructor(
    private readonly reader: DirectReader,
    private readonly run: RunRef,
    private readonly arrivalOf: ReturnType<typeof arrivalsOf>,
    /** The last event of the run, or of as much of it as is looked at. */
    private readonly end: Indexed,
  ) {
    this.#subjects = subjects.run(run).replace(/\*$/, '');
  }

  /** The events in a range, in order. Each of them is stored behind the place `behind`. */
  async read({ first, last }: Range, behind: StorePlace = 0): Promise<Arrival[]> {
    if (first > last) return [];
    const { position, places } = this.end.tail;
    const before = await this.within({ first, last: Math.min(last, position - 1) }, places, behind);
    return last >= position ? [...before, this.end] : before;
  }

  /** The position of the first event at or behind which the public ones are numbered `sequence` or more. */
  async positionOf(sequence: number): Promise<number> {
    let { places } = this.end.tail;
    let found = this.end.tail.position;
    for (let first = 0; ;) {
      const named = places.named.filter(({ position }) => position >= Math.max(first, sequence)); // it is never the smaller
      const events = await Promise.all(named.map((each) => this.at(each)));
      const at = events.findIndex(({ tail }) => tail.sequence >= sequence);
      if (at < 0) return found;
      const { position, level } = named[at]!;
      found = position;
      if (level === 0) return found;
      first = Math.max(first, firstOf(named[at]!));
      ({ places } = events[at]!.tail);
    }
  }

  private async within({ first, last }: Range, index: PlaceIndex, behind: StorePlace): Promise<Arrival[]> {
    const parts: Promise<readonly Arrival[]>[] = [];
    let near: Stretch | undefined;
    let place = behind;
    const closeStretch = () => {
      if (near) parts.push(this.stretch(near));
      near = undefined;
    };
    for (const named of index.named) {
      if (firstOf(named) > last) break;
      if (named.position >= first) {
        const isWhole = firstOf(named) >= first && named.position <= last;
        if (isWhole && named.place - place <= NEAR_PLACES * sizeOf(named)) {
          near = { from: near?.from ?? place + 1, first: near?.first ?? firstOf(named), to: named };
        } else {
          closeStretch();
          parts.push(this.block({ first, last }, named, place));
        }
      }
      place = Math.max(place, named.place);
    }
    closeStretch();
    return (await Promise.all(parts)).flat();
  }

  /** The event a place is named of, and those of its block that are wanted. */
  private async block({ first, last }: Range, named: NamedPlace, behind: StorePlace): Promise<Arrival[]> {
    const end = await this.at(named);
    const inside = { first: Math.max(first, firstOf(named)), last: Math.min(last, named.position - 1) };
    const before = inside.first > inside.last ? [] : await this.within(inside, end.tail.places, behind);
    return named.position <= last ? [...before, end] : before;
  }

  /** Events that lie close together, by a filter: from a place behind which the first one is next, to the last one. */
  private async stretch({ from, first, to }: Stretch): Promise<Arrival[]> {
    const wanted = to.position - first + 1;
    if (wanted === 1) return [await this.at(to)];
    const found: Arrival[] = [];
    const lag = new ReplicaLag(`Run ${this.run.runId}`, to.place);
    for (let next: number | undefined = from; next !== undefined && found.length < wanted;) {
      const limit = Math.min(wanted - found.length, PAGE);
      const { items, lastSequence }: { items: Arrival[]; lastSequence: number | undefined } = await this.reader.page(
        subjects.run(this.run),
        next,
        limit,
        this.arrivalOf,
      );
      found.push(...items);
      next =
        items.length === limit && lastSequence !== undefined ? lastSequence + 1 : await lag.missingAfter(lastSequence);
    }
    if (found.length !== wanted || found[0]?.tail?.position !== first || found.at(-1)?.streamSequence !== to.place) {
      throw new IndexWrong(`Run ${this.run.runId}: no ${wanted} events end at place ${to.place}`);
    }
    return found;
  }

  private at(named: NamedPlace): Promise<Indexed> {
    const known = this.#read.get(named.place);
    if (known) return known;
    const read = this.readAt(named);
    this.#read.set(named.place, read);
    return read;
  }

  private async readAt({ position, place }: NamedPlace): Promise<Indexed> {
    const wrong = () => new IndexWrong(`Run ${this.run.runId}: event ${position} does not lie at place ${place}`);
    if (!(place < this.end.streamSequence)) throw wrong();
    const message = await atKnownPlace(this.reader, place, `Run ${this.run.runId}`);
    if (!subjectIn(message.headers).startsWith(this.#subjects)) throw wrong();
    const arrival = this.arrivalOf(message);
    if (!isIndexed(arrival) || arrival.tail.position !== position) throw wrong();
    return arrival;
  }
}

interface Stretch {
  readonly from: StorePlace;
  /** The position of its first event. */
  readonly first: number;
  readonly to: NamedPlace;
}

const sizeOf = ({ level }: NamedPlace): number => 16 ** level;
const firstOf = (named: NamedPlace): number => named.position - sizeOf(named) + 1;
