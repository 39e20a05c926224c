import { describe, expect, it } from '@jest/globals';
import { aRequestId, eventFixture } from '../fixtures.js';
import { InputRequest } from '../input-requests.js';
import { AgentEvent, SuspendEvent } from './agent-event.js';
import { firstSequenceOf, type MergedDelta, type PublicEvent } from './public-event.js';
import { FeedQuery, LastEventId, StreamClosing, StreamQuery } from './stream.js';

const types = (union: typeof AgentEvent | typeof SuspendEvent): string[] =>
  union.options.map(({ shape }) => shape.type.value);

describe('The events of the agent dialect', () => {
  it('are these 21', () => {
    expect(types(AgentEvent)).toEqual([
      ...['start', 'thought', 'functionCall', 'functionCallUpdate', 'functionResult'],
      ...['subagentAddJson', 'subagentError', 'subagentFinish', 'content', 'turnComplete', 'sendRequest'],
      ...['waitForInput', 'waitForChoice', 'readGraph', 'inspectNode', 'applyEdits', 'queryConsent'],
      ...['graphEdit', 'complete', 'error', 'finish'],
    ]);
  });

  it('suspend by the six requests a client can answer, each with the id of its request', () => {
    const asked = InputRequest.options.map(({ shape }) => shape.type.value).filter((type) => type !== 'toolApproval');
    expect(types(SuspendEvent)).toEqual(asked);
    expect(SuspendEvent.safeParse({ type: 'readGraph' }).success).toBe(false);
    expect(SuspendEvent.safeParse({ type: 'readGraph', requestId: aRequestId }).success).toBe(true);
    expect(SuspendEvent.safeParse({ type: 'finish', requestId: aRequestId }).success).toBe(false);
  });
});

describe('A cursor', () => {
  it('is a number from 0 on, and nothing else', () => {
    expect(StreamQuery.parse({ fromSeq: '0' })).toEqual({ fromSeq: 0 });
    expect(StreamQuery.parse({})).toEqual({});
    for (const bad of ['-1', '1.5', 'x', '', ' 1', '1e3', '9'.repeat(16), ['1', '2']]) {
      expect([bad, StreamQuery.safeParse({ fromSeq: bad }).success]).toEqual([bad, false]);
    }
  });

  it('may come as Last-Event-ID, which browsers leave empty before the first event', () => {
    expect(LastEventId.parse('41')).toBe(41);
    expect(LastEventId.parse('')).toBeUndefined();
    expect(LastEventId.parse(undefined)).toBeUndefined();
    for (const bad of ['-1', 'abc', '1 ']) expect(LastEventId.safeParse(bad).success).toBe(false);
  });

  it('is handed back when a stream ends early', () => {
    expect(StreamClosing.safeParse({ code: 'TOKEN_EXPIRED', cursor: '41' }).success).toBe(true);
    expect(StreamClosing.safeParse({ code: 'TOO_SLOW', cursor: null }).success).toBe(true);
    expect(StreamClosing.safeParse({ code: 'BORED', cursor: null }).success).toBe(false);
  });
});

describe('A feed over many runs', () => {
  it('takes public kinds only, and names those it does not', () => {
    expect(FeedQuery.parse({ kinds: 'RunFailed, InputRequested,RunFailed' }).kinds).toEqual([
      'RunFailed',
      'InputRequested',
    ]);
    const all = FeedQuery.parse({}).kinds;
    expect(all).toContain('TokenDelta');
    expect(all).not.toContain('RunRequested');
    for (const kinds of ['RunRequested', 'Nothing', '', '*', 'RunFailed,>']) {
      const refused = FeedQuery.safeParse({ kinds });
      expect(refused.error?.issues[0]?.path).toEqual(['kinds']);
    }
  });
});

describe('An event as it is sent', () => {
  it('begins where the deltas begin that were merged into it', () => {
    const event = eventFixture('TokenDelta', { position: 9, sequence: 6 }) as PublicEvent;
    expect(firstSequenceOf(event)).toBe(6);
    const merged: MergedDelta = { ...eventFixture('TokenDelta', { position: 9, sequence: 6 }), fromSequence: 2 };
    expect(firstSequenceOf(merged)).toBe(2);
  });
});
