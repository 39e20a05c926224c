import type { PublicEvent } from '@millrace/contracts';
import { StreamBroken } from '../errors.js';
import { isEvent } from './public-event.js';

/** A page of events from a sequence on. */
export type Backfill = (fromSeq: number, signal?: AbortSignal) => Promise<{ readonly events: readonly unknown[] }>;

/** The events of a gap, both ends included and nothing beyond: a page may go on into what the stream brings itself. */
export async function* readGap(
  backfill: Backfill,
  { fromSeq, toSeq }: { readonly fromSeq: number; readonly toSeq: number },
  signal?: AbortSignal,
): AsyncGenerator<PublicEvent> {
  for (let wanted = fromSeq; wanted <= toSeq;) {
    const { events } = await backfill(wanted, signal);
    const page = events.filter(isEvent).filter(({ sequence }) => sequence >= fromSeq && sequence <= toSeq);
    if (page.length === 0) throw new StreamBroken(`Event ${wanted} is missing, and the server does not have it`);
    for (const event of page) {
      if (event.sequence !== wanted) throw new StreamBroken(`Event ${event.sequence} came in the place of ${wanted}`);
      yield event;
      wanted += 1;
    }
  }
}
