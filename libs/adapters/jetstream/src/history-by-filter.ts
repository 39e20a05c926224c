import { type RunEvent, type RunRef, subjects } from '@millrace/contracts';
import { type BlobStore, EMPTY_TAIL, type ReadFrom, type RunPage, type StorePlace, type Tail } from '@millrace/ports';
import type { DirectReader, MessagePage } from './direct-reader.js';
import type { EventTexts } from './large-payloads.js';
import { ReplicaLag } from './replica-lag.js';
import { type Arrival, arrivalsOf, tailBehind } from './run-arrivals.js';
import { NEAR, seek } from './run-seek.js';

export interface FilterOptions {
  readonly limit: number;
  /** A place that holds an event of the run: reading goes at least so far. */
  readonly known: StorePlace;
}

/**
 * Reads a run that was begun before events named places, or that holds what no append of ours wrote: by its subjects. The
 * server walks through all that lies between its events.
 */
export class HistoryByFilter {
  constructor(
    private readonly reader: DirectReader,
    private readonly blobs: BlobStore,
    private readonly texts?: EventTexts,
  ) {}

  async read(run: RunRef, from: ReadFrom, { limit, known }: FilterOptions): Promise<RunPage> {
    const filter = subjects.run(run);
    const events: RunEvent[] = [];
    let tail: Tail = 'streamSequence' in from ? from : EMPTY_TAIL;
    let isSkipping = !('streamSequence' in from);
    // One more than wanted tells whether there is more; and what seek leaves to be skipped comes in one page.
    const wanted = Math.min(limit + 1 + (isSkipping ? NEAR : 0), PAGE);
    const arrivals = arrivalsOf(run, this.blobs, this.texts);
    const pageFrom = (place: number) => this.reader.page(filter, place, wanted, arrivals);
    const place = await this.placeOf(run, from);
    const lag = new ReplicaLag(`Run ${run.runId}`, known, place - 1);
    let asked: Promise<MessagePage<Arrival>> | undefined = pageFrom(place);
    while (asked) {
      const page: MessagePage<Arrival> = await asked;
      const { items, lastSequence, atEnd } = page;
      const isEnough: boolean = atEnd || (!isSkipping && events.length + items.length > limit);
      // The next page is on its way while large payloads of this one are fetched.
      asked = isEnough || lastSequence === undefined ? undefined : pageFrom(lastSequence + 1);
      asked?.catch(() => {}); // seen when it is awaited, if it still is
      for (const arrival of items) {
        const event = typeof arrival.event === 'function' ? await arrival.event() : arrival.event;
        isSkipping &&= isBefore(event, from);
        if (!isSkipping && events.length >= limit) return { events, tail, hasMore: true };
        if (!isSkipping) events.push(event);
        tail = tailBehind(arrival, tail, event);
      }
      if (!asked && events.length === limit && tail.streamSequence < known) return { events, tail, hasMore: true };
      const missing = asked ? undefined : await lag.missingAfter(lastSequence);
      if (missing !== undefined) asked = pageFrom(missing);
    }
    return { events, tail, hasMore: false };
  }

  private async placeOf(run: RunRef, from: ReadFrom): Promise<StorePlace> {
    if ('streamSequence' in from) return from.streamSequence + 1;
    return 'position' in from
      ? seek(this.reader, run, 'position', from.position)
      : seek(this.reader, run, 'sequence', from.sequence);
  }
}

const PAGE = 1_000;

/** Whether the event lies before the place that was asked for. */
const isBefore = (event: RunEvent, from: ReadFrom): boolean => {
  if ('streamSequence' in from) return false;
  if ('position' in from) return event.position < from.position;
  return !('sequence' in event) || event.sequence === undefined || event.sequence < from.sequence;
};
