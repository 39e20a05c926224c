import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { someEvents, token } from '../events.for-spec.js';
import type { PublicEvent } from '@millrace/contracts';
import type { TokenDelta } from '../stream/public-event.js';
import { coalesceTokenDeltas, isSameSpeech, isTokenDelta, mergeTokenDeltas } from './token-deltas.js';

const textOf = (events: readonly PublicEvent[]): string[] => {
  const said = new Map<string, string>();
  for (const event of events.filter(isTokenDelta)) {
    const speech = `${event.taskKey} ${event.attempt}`;
    said.set(speech, (said.get(speech) ?? '') + event.text);
  }
  return [...said].map((entry) => entry.join(': '));
};

describe('mergeTokenDeltas', () => {
  it('keeps the fields of the first, joins the texts, and takes id and sequence of the last', () => {
    const [first, second, third] = [token(3, 'a'), token(4, 'b'), token(5, 'c')];
    expect(mergeTokenDeltas([first, second, third])).toEqual({
      ...first,
      ...{ text: 'abc', eventId: third.eventId, sequence: 5, fromSequence: 3 },
    });
  });

  it('leaves one delta as it is', () => {
    const only = token(3, 'a');
    expect(mergeTokenDeltas([only])).toBe(only);
  });

  it('says where a merge of merges begins', () => {
    const merged = mergeTokenDeltas([token(3, 'a'), token(4, 'b')]);
    expect(mergeTokenDeltas([merged, token(5, 'c')])).toMatchObject({ fromSequence: 3, sequence: 5, text: 'abc' });
  });
});

describe('coalesceTokenDeltas', () => {
  it('merges neighbours, keeps all else in its place, and keeps the last ones', () => {
    const [started, ...rest] = someEvents(['RunStarted', 'NodeStarted', 'a', 'b', 'LogWritten', 'c', 'd']);
    const merged = coalesceTokenDeltas([started as PublicEvent, ...rest]);
    expect(merged.map((event) => (isTokenDelta(event) ? event.text : event.kind))).toEqual([
      ...['RunStarted', 'NodeStarted', 'ab', 'LogWritten', 'cd'],
    ]);
  });

  it.each<[string, Partial<TokenDelta>]>([
    ['attempt', { attempt: 2 }],
    ['node', { node: 'critic' }],
    ['task', { taskKey: '2/plan' as TokenDelta['taskKey'] }],
    ['agent', { agentId: 'critic' }],
    ['iteration', { iteration: 2 }],
  ])('never merges over another %s', (_, other) => {
    expect(coalesceTokenDeltas([token(0, 'a'), token(1, 'b', other), token(2, 'c')])).toHaveLength(3);
  });

  it('says the same in every speech, in the same order, and nothing that could be merged is left', () => {
    const aSaying = fc.constantFrom('a', 'b', 'RunPaused', 'LogWritten', { node: 'critic' }, { attempt: 2 });
    fc.assert(
      fc.property(fc.array(aSaying, { maxLength: 40 }), (sayings) => {
        const events = someEvents(sayings);
        const merged = coalesceTokenDeltas(events);
        expect(textOf(merged)).toEqual(textOf(events));
        expect(merged.filter((event) => !isTokenDelta(event))).toEqual(events.filter((event) => !isTokenDelta(event)));
        expect(merged.map(({ sequence }) => sequence)).toEqual(
          merged.map(({ sequence }) => sequence).sort((a, b) => a - b),
        );
        merged.forEach((event, at) => {
          const before = merged[at - 1];
          if (before && isTokenDelta(before) && isTokenDelta(event)) expect(isSameSpeech(before, event)).toBe(false);
        });
        expect(coalesceTokenDeltas(merged)).toEqual(merged);
      }),
    );
  });
});
