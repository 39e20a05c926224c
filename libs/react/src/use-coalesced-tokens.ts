import type { PublicEvent } from '@millrace/client';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { TokenCoalescer } from './token-coalescer.js';

const USUAL_EVERY_MS = 100;
const NONE: readonly PublicEvent[] = [];

/**
 * The events with neighbouring token deltas merged, so that a page draws ten times a second and not for each token. Any
 * other event is shown at once, with the tokens before it; the last tokens are shown too.
 */
export function useCoalescedTokens(
  events: readonly PublicEvent[],
  { everyMs = USUAL_EVERY_MS }: { readonly everyMs?: number } = {},
): readonly PublicEvent[] {
  const coalescer = useMemo(() => new TokenCoalescer(everyMs), [everyMs]);
  useEffect(() => coalescer.take(events), [coalescer, events]);
  useEffect(() => () => coalescer.stop(), [coalescer]);
  return useSyncExternalStore(coalescer.subscribe, coalescer.snapshot, () => NONE);
}
