import { describe, expect, it } from '@jest/globals';
import { decodeRunEvent, EventInvalid, parseAppendedEvent, parseRunEvent, parseThreadEvent } from './event-codec.js';
import { aRequestId, eventFixture, THREAD_CREATED_FIXTURE } from './fixtures.js';
import { isPublic } from './classification.js';
import { schemaOf } from './events/run-event.js';
import { KINDS, RUN_EVENT_KINDS } from './kinds.js';

const without = (event: object, field: string): object =>
  Object.fromEntries(Object.entries(event).filter(([name]) => name !== field));

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

describe('a run event', () => {
  it.each(RUN_EVENT_KINDS)('%s has a schema and a fixture that parses, also through bytes', (kind) => {
    const event = eventFixture(kind);
    expect(schemaOf(kind).shape.kind.value).toBe(kind);
    expect(parseRunEvent(event)).toBe(event);
    expect(decodeRunEvent(bytesOf(event))).toEqual(event);
  });

  it.each(['eventId', 'tenantId', 'runId', 'position', 'sequence', 'ts', 'kind', 'version'])(
    'is refused without %s',
    (field) => {
      expect(() => parseRunEvent(without(eventFixture('RunStarted'), field))).toThrow(EventInvalid);
    },
  );

  it.each<[string, unknown[]]>([
    ['eventId', [1, null, '', 'not-a-ulid', '01jd0000000000000000000003', '81JD0000000000000000000003']],
    ['tenantId', [1, null, '', '*', '01JD000000000000000000000', '01JD00000000000000000000011']],
    ['runId', [{}, null, '', '>', '01JD000000000000000000000U', '01JD0000000000000000000002\n']],
    ['position', [-1, 1.5, '1', null, Number.NaN, Number.MAX_SAFE_INTEGER + 1]],
    ['sequence', [-1, 0.5, '0', null, Number.POSITIVE_INFINITY]],
    ['ts', [0, null, 'yesterday', '2026-01-12', '2026-02-30T10:00:00Z', '2026-01-12 10:00:00Z']],
    ['kind', [1, null, '', 'runStarted', 'RunExploded', ['RunStarted'], { toString: 1 }]],
    ['version', [1, null, '', '2', '01']],
  ])('is refused with a wrong %s', (field, values) => {
    for (const value of values) {
      expect(() => parseRunEvent({ ...eventFixture('RunStarted'), [field]: value })).toThrow(EventInvalid);
    }
  });

  it('names the kind, the field and the problem when it is refused', () => {
    expect(() => parseRunEvent({ ...eventFixture('TokenDelta'), text: '' })).toThrow(/^TokenDelta: text: /);
  });

  it.each(RUN_EVENT_KINDS.filter((kind) => 'agentId' in eventFixture(kind)))(
    '%s, said by an agent, is refused without agentId',
    (kind) => {
      expect(() => parseRunEvent(without(eventFixture(kind), 'agentId'))).toThrow(/agentId/);
    },
  );

  it('names its agent whenever a node worker appends it, unless it is about the graph as a whole', () => {
    const silent = RUN_EVENT_KINDS.filter((kind) =>
      KINDS[kind].appendedBy.some((service) => service === 'node-workers'),
    ).filter((kind) => !('agentId' in eventFixture(kind)));
    expect(silent).toEqual(['GraphEnded', 'CheckpointSaved', 'NodeScheduled']);
  });

  it('keeps the fields it does not know', () => {
    const event = { ...eventFixture('RunStarted'), colour: 'blue', nested: { of: ['the', 'future'] } };
    expect(decodeRunEvent(bytesOf(event))).toEqual(event);
  });

  it('is refused when its version is one we do not know', () => {
    for (const kind of RUN_EVENT_KINDS) {
      expect(() => parseRunEvent({ ...eventFixture(kind), version: '2' })).toThrow(/version/);
    }
  });
});

describe('the sequence rule', () => {
  const kinds = RUN_EVENT_KINDS.map((kind) => [kind, isPublic(eventFixture(kind))] as const);

  it.each(kinds.filter(([, shown]) => shown))('%s is public and refused without a sequence', (kind) => {
    expect(() => parseRunEvent(without(eventFixture(kind), 'sequence'))).toThrow(/sequence/);
  });

  it.each(kinds.filter(([, shown]) => !shown))('%s is internal and refused with a sequence', (kind) => {
    expect(() => parseRunEvent({ ...eventFixture(kind), sequence: 4 })).toThrow('an internal event has none');
  });

  it.each(['ToolRequested', 'ToolProgressed', 'ToolFinished'] as const)('%s follows its tool', (kind) => {
    const shown = eventFixture(kind);
    const hidden = without({ ...shown, tool: 'transfer_to_critic' }, 'sequence');
    expect(parseRunEvent(hidden)).toBe(hidden);
    expect(() => parseRunEvent({ ...hidden, sequence: 4 })).toThrow('an internal event has none');
    expect(() => parseRunEvent(without(shown, 'sequence'))).toThrow('a public event needs one');
  });
});

describe('the fields of a kind', () => {
  it.each<[Parameters<typeof eventFixture>[0], string, unknown]>([
    ['RunStarted', 'appId', 1],
    ['RunStarted', 'policy', ''],
    ['RunFinished', 'summary', null],
    ['RunFinished', 'stepsCompleted', 1.5],
    ['RunFailed', 'reason', 7],
    ['RunFailed', 'errorCode', ''],
    ['RunCanceled', 'canceledBy', 7],
    ['NodeStarted', 'node', ''],
    ['NodeStarted', 'iteration', -1],
    ['NodeStarted', 'attempt', 0],
    ['TokenDelta', 'text', ''],
    ['NodeFinished', 'result', 'DONE'],
    ['NodeFinished', 'durationMs', -1],
    ['PolicySwitched', 'fromPolicy', 1],
    ['PolicySwitched', 'toPolicy', undefined],
    ['NodeScheduled', 'tasks', []],
    ['NodeSuspended', 'requestIds', ['not-a-ulid']],
    ['InputRequested', 'request', { type: 'waitForMiracle' }],
    ['ProgressReported', 'fraction', 1.01],
  ])('%s refuses %s = %j', (kind, field, value) => {
    expect(() => parseRunEvent({ ...eventFixture(kind), [field]: value })).toThrow(EventInvalid);
  });

  it('lets RunCanceled leave open who canceled', () => {
    const event = without(eventFixture('RunCanceled'), 'canceledBy');
    expect(parseRunEvent(event)).toBe(event);
  });
});

describe('an event that an append of ours stored', () => {
  const event = eventFixture('TokenDelta');
  const { tenantId, runId, position } = event;
  const at = { tenantId, runId, position };

  it.each(RUN_EVENT_KINDS)('%s is taken as it is', (kind) => {
    const stored = eventFixture(kind);
    const { tenantId, runId, position } = stored;
    expect(parseAppendedEvent(stored, { tenantId, runId, position })).toBe(stored);
  });

  it('is not validated a second time', () => {
    const unusual = { ...event, text: '' };
    expect(() => parseRunEvent(unusual)).toThrow(EventInvalid);
    expect(parseAppendedEvent(unusual, at)).toBe(unusual);
  });

  it.each<[string, unknown]>([
    ['no object', 'TokenDelta'],
    ['nothing', null],
    ['an event of another run', { ...event, runId: aRequestId }],
    ['an event of another tenant', { ...event, tenantId: aRequestId }],
    ['another event of the run', { ...event, position: position + 1 }],
    ['an event without a position', without(event, 'position')],
    ['a kind nobody knows', { ...event, kind: 'RunTeleported' }],
    ['a kind that is none', { ...event, kind: 7 }],
    ['a version nobody knows', { ...event, version: '99' }],
  ])('is refused when its place holds %s', (_, value) => {
    expect(() => parseAppendedEvent(value, at)).toThrow(EventInvalid);
  });
});

describe('a thread event', () => {
  it('parses, and keeps what it does not know', () => {
    const event = { ...THREAD_CREATED_FIXTURE, colour: 'blue' };
    expect(parseThreadEvent(event)).toBe(event);
  });

  it.each(['threadId', 'tenantId', 'eventId', 'position', 'ts', 'version', 'kind', 'by'])(
    'is refused without %s',
    (field) => {
      expect(() => parseThreadEvent(without(THREAD_CREATED_FIXTURE, field))).toThrow(EventInvalid);
    },
  );
});
