import { describe, expect, it } from '@jest/globals';
import { type PublicEvent, TaskKey } from '@millrace/contracts';
import { eventAt, token } from '../events.for-spec.js';
import { Attempts, standingEvents } from './attempts.js';

const started = (sequence: number, more: object): PublicEvent => ({ ...eventAt(sequence, 'NodeStarted'), ...more });

describe('Words of attempts', () => {
  const retried = [
    ...[started(0, { attempt: 1 }), token(1, 'half a'), eventAt(2, 'NodeRetryScheduled')],
    ...[started(3, { attempt: 2 }), token(4, 'a whole sentence', { attempt: 2 })],
  ];

  it('no longer count once a later one begins anew, and all else stays', () => {
    expect(standingEvents(retried)).toEqual(retried.filter(({ sequence }) => sequence !== 1));
  });

  it('count as long as nothing has taken their place', () => {
    const attempts = new Attempts();
    const [first, word] = retried as [PublicEvent, PublicEvent];
    attempts.take(first);
    expect(attempts.isSuperseded(word)).toBe(false);
    retried.forEach((event) => attempts.take(event));
    expect(attempts.isSuperseded(word)).toBe(true);
  });

  it('go on counting when the node has only waited', () => {
    const waited = [
      ...[started(0, { attempt: 1 }), token(1, 'before, '), eventAt(2, 'InputProvided')],
      ...[started(3, { attempt: 2, continues: true }), token(4, 'after', { attempt: 2 })],
    ];
    expect(standingEvents(waited)).toEqual(waited);
  });

  it('of other tasks are not concerned', () => {
    const other = token(9, 'x', { taskKey: TaskKey.parse('2/plan') });
    expect(standingEvents([other, ...retried])).toContain(other);
  });
});
