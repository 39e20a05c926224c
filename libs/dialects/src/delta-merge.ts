import { firstSequenceOf, type MergedDelta, type PublicEvent } from '@millrace/contracts';

const isDelta = (event: PublicEvent): event is MergedDelta =>
  event.kind === 'TokenDelta' || event.kind === 'ThoughtDelta';

/**
 * The two as one, when they are deltas of the same kind that one speaker said one right after the other: the fields of
 * the first, the text of both, and the identity and order of the last. Undefined when they must stay two.
 */
export const mergedDelta = (first: PublicEvent, last: PublicEvent): MergedDelta | undefined => {
  if (!isDelta(first) || !isDelta(last) || first.kind !== last.kind) return undefined;
  if (first.taskKey !== last.taskKey || first.attempt !== last.attempt || first.runId !== last.runId) return undefined;
  if (first.within !== last.within) return undefined;
  if (firstSequenceOf(last) !== first.sequence + 1) return undefined;
  const { eventId, position, sequence, ts } = last;
  const text = first.text + last.text;
  return { ...first, eventId, position, sequence, ts, text, fromSequence: firstSequenceOf(first) };
};

/** Every event once, in its place; deltas next to each other as one. */
export const mergeDeltas = (events: Iterable<PublicEvent>): PublicEvent[] => {
  const kept: PublicEvent[] = [];
  for (const event of events) {
    const before = kept.at(-1);
    const merged = before && mergedDelta(before, event);
    if (merged) kept[kept.length - 1] = merged;
    else kept.push(event);
  }
  return kept;
};
