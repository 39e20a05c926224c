import { describe, expect, it } from '@jest/globals';
import { eventFixture, firstSequenceOf, type PublicEvent, TaskKey } from '@millrace/contracts';
import { mergedDelta, mergeDeltas } from './delta-merge.js';

const delta = (sequence: number, text: string, changes: object = {}): PublicEvent => ({
  ...eventFixture('TokenDelta', { position: sequence + 2, sequence }),
  text,
  ...changes,
});

describe('Deltas next to each other', () => {
  it('become one: the fields of the first, all the text, the identity of the last, and where it begins', () => {
    const first = delta(3, 'a', { ts: '2026-01-12T10:00:00.000Z', hint: 'kept' });
    const last = { ...delta(5, 'c'), eventId: eventFixture('RunStarted').eventId, ts: '2026-01-12T10:00:01.000Z' };
    expect(mergeDeltas([first, delta(4, 'b'), last])).toEqual([
      { ...first, text: 'abc', sequence: 5, position: 7, ts: last.ts, eventId: last.eventId, fromSequence: 3 },
    ]);
  });

  it.each<[string, PublicEvent]>([
    ['of another task', delta(4, 'b', { taskKey: TaskKey.parse('2/act') })],
    ['of another attempt', delta(4, 'b', { attempt: 2 })],
    ['of another run', delta(4, 'b', { runId: eventFixture('RunStarted').eventId })],
    ['of thought', { ...eventFixture('ThoughtDelta', { position: 6, sequence: 4 }) }],
    ['that leave a gap', delta(5, 'b')],
    ['that are there already', delta(3, 'b')],
  ])('stay two with those %s', (_, other) => {
    expect(mergedDelta(delta(3, 'a'), other)).toBeUndefined();
    expect(mergeDeltas([delta(3, 'a'), other])).toHaveLength(2);
  });

  it('keep everything else in its place', () => {
    const tool = eventFixture('ToolRequested', { position: 4, sequence: 2 }) as PublicEvent;
    const merged = mergeDeltas([delta(0, 'a'), delta(1, 'b'), tool, delta(3, 'c')]);
    expect(merged.map((event) => [event.kind, firstSequenceOf(event), event.sequence])).toEqual([
      ['TokenDelta', 0, 1],
      ['ToolRequested', 2, 2],
      ['TokenDelta', 3, 3],
    ]);
  });
});
