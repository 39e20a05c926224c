import { describe, expect, it } from '@jest/globals';
import {
  AgentEvent,
  aRequestId,
  aRunId,
  type AgentEventType,
  eventFixture,
  INTERNAL_TOOL_PREFIXES,
  InputRequest,
  isPublic,
  type PublicEvent,
  RUN_EVENT_KINDS,
  type RunEventKind,
  type RunEventOf,
  THREAD_FRAMES,
  type ThreadFrame,
} from '@millrace/contracts';
import { agentDialect, agentEvents } from './agent.dialect.js';
import { DIALECTS } from './dialects.js';
import type { Frame } from './frame.js';
import { nativeDialect } from './native.dialect.js';
import { threadDialect } from './thread.dialect.js';

const by = { node: 'plan', taskKey: '1/plan', attempt: 1 };
const call = { callId: '1/plan#search-1', name: 'search' };
const nested = { callId: call.callId, subagentId: 's1' };
const usage = { inputTokens: 12, outputTokens: 34, model: 'scripted' };
const NOTHING: never[] = [];

/** What each kind's fixture says in the agent dialect. */
const AGENT: Record<RunEventKind, readonly AgentEvent[]> = {
  RunStarted: [{ type: 'start', runId: aRunId, agent: 'echo', agentVersion: '1' }],
  ThoughtDelta: [{ type: 'thought', text: 'They greet.', ...by }],
  TokenDelta: [{ type: 'content', text: 'hel', role: 'agent', partial: true, ...by }],
  MessageAdded: [{ type: 'content', text: 'hello', role: 'agent', partial: false, ...by }],
  ModelRequested: [{ type: 'sendRequest', callId: 'c1', model: 'scripted', request: { messages: 2 }, ...by }],
  ToolRequested: [{ type: 'functionCall', ...call, args: { query: 'mill' } }],
  ToolProgressed: [{ type: 'functionCallUpdate', ...call, status: 'half way' }],
  ToolFinished: [{ type: 'functionResult', ...call, ok: true, result: { hits: 3 } }],
  SubagentProgressed: [{ type: 'subagentAddJson', ...nested, json: { done: 1 } }],
  SubagentFailed: [{ type: 'subagentError', ...nested, error: 'no picture' }],
  SubagentFinished: [{ type: 'subagentFinish', ...nested }],
  InputRequested: [{ type: 'waitForInput', prompt: 'Your name?', requestId: aRequestId }],
  InputProvided: [{ type: 'functionCallUpdate', callId: aRequestId, requestId: aRequestId, status: 'answered' }],
  InputExpired: [{ type: 'functionCallUpdate', callId: aRequestId, requestId: aRequestId, status: 'expired' }],
  GraphEdited: [{ type: 'graphEdit', edits: [{ op: 'addNode', id: 'n1' }], ...by }],
  NodeFinished: [{ type: 'turnComplete', result: 'SUCCESS', ...by }],
  RunFinished: [
    { type: 'complete', result: { text: 'hello' }, summary: 'Said hello.', sources: [], usage },
    { type: 'finish' },
  ],
  RunFailed: [
    { type: 'error', message: 'The model did not answer.', code: 'MAX_RETRIES_EXCEEDED', aborted: false },
    { type: 'finish' },
  ],
  RunCanceled: [{ type: 'error', message: 'wrong input', code: 'CANCELED', aborted: true }, { type: 'finish' }],
  RunPaused: NOTHING,
  RunResumed: NOTHING,
  RunCancelRequested: NOTHING,
  PolicySwitched: NOTHING,
  NodeStarted: NOTHING,
  NodeRetryScheduled: NOTHING,
  ModelResponded: NOTHING,
  SpecialistFinished: NOTHING,
  LogWritten: NOTHING,
  ProgressReported: NOTHING,
  RunRequested: NOTHING,
  RunQueued: NOTHING,
  CheckpointSaved: NOTHING,
  GraphEnded: NOTHING,
  FollowUpDue: NOTHING,
  GoalAchieved: NOTHING,
  RetryRequested: NOTHING,
  ImprovementProvided: NOTHING,
  NodeScheduled: NOTHING,
  NodeSuspended: NOTHING,
  EffectRecorded: NOTHING,
  AgentChanged: NOTHING,
};

/** And in the thread dialect; a kind that is not here says nothing. */
const THREAD: Partial<Record<RunEventKind, readonly ThreadFrame[]>> = {
  TokenDelta: [{ event: 'token', data: { text: 'hel' } }],
  ToolRequested: [{ event: 'tool_start', data: { tool: 'search', input: { query: 'mill' } } }],
  ToolFinished: [{ event: 'tool_end', data: { tool: 'search', output: { hits: 3 } } }],
  RunFinished: [
    { event: 'final', data: { text: 'hello', sources: [] } },
    { event: 'state', data: { status: 'done' } },
  ],
  RunFailed: [
    { event: 'error', data: { error: 'The model did not answer.' } },
    { event: 'state', data: { status: 'error' } },
  ],
  RunCanceled: [
    { event: 'canceled', data: { reason: 'wrong input' } },
    { event: 'state', data: { status: 'canceled' } },
  ],
};

/** A fixture as a dialect may be handed it: also those that should never get there. */
const given = (kind: RunEventKind): PublicEvent => eventFixture(kind) as PublicEvent;
const one = <K extends RunEventKind>(kind: K, changes: Partial<RunEventOf<K>>): PublicEvent =>
  ({ ...eventFixture(kind), ...changes }) as PublicEvent;

describe.each(RUN_EVENT_KINDS)('%s', (kind) => {
  it('is an event of the agent dialect, or none', () => {
    const frames = agentDialect(given(kind));
    expect(frames).toEqual(AGENT[kind].map((data) => ({ data })));
    for (const { data } of frames) expect(AgentEvent.parse(data)).toEqual(data);
  });

  it('is a frame of the thread dialect, or none', () => {
    const frames = threadDialect(given(kind));
    expect(frames).toEqual(THREAD[kind] ?? []);
    for (const { event, data } of frames)
      expect(THREAD_FRAMES[event as ThreadFrame['event']].parse(data)).toEqual(data);
  });

  it('is itself in the native dialect, unless it is internal', () => {
    expect(nativeDialect(given(kind))).toEqual(isPublic({ kind }) ? [{ data: given(kind) }] : []);
  });
});

describe('What is internal', () => {
  it.each(Object.entries(DIALECTS))(
    'has no frames in the %s dialect, whatever number it claims to have',
    (_, dialect) => {
      const internal = RUN_EVENT_KINDS.filter((kind) => !isPublic({ kind }));
      expect(internal.length).toBeGreaterThan(5);
      for (const kind of internal) expect(dialect({ ...given(kind), sequence: 3 })).toEqual([]);
      for (const prefix of INTERNAL_TOOL_PREFIXES) {
        for (const kind of ['ToolRequested', 'ToolProgressed', 'ToolFinished'] as const) {
          expect(dialect(one(kind, { tool: `${prefix}critic` }))).toEqual([]);
        }
      }
    },
  );
});

describe('The agent dialect', () => {
  const requests: Record<Exclude<InputRequest['type'], 'toolApproval'>, InputRequest> = {
    waitForInput: { type: 'waitForInput', prompt: 'Your name?' },
    waitForChoice: { type: 'waitForChoice', choices: [{ id: 'left', label: 'Left' }] },
    readGraph: { type: 'readGraph' },
    inspectNode: { type: 'inspectNode', nodeId: 'n1' },
    applyEdits: { type: 'applyEdits', edits: [{ op: 'addNode' }], label: 'Add a node' },
    queryConsent: { type: 'queryConsent', question: 'May I?' },
  };

  it.each(Object.values(requests))('asks for $type under the id of the request', (request) => {
    const expiresAt = '2026-01-12T11:00:00.000Z';
    const [asked, ...more] = agentEvents(one('InputRequested', { request, expiresAt }));
    expect(asked).toEqual({ ...request, requestId: aRequestId, expiresAt });
    expect(AgentEvent.parse(asked)).toEqual(asked);
    expect(more).toEqual([]);
  });

  it('tells of a call that waits for an approval, and where to give it', () => {
    const request = { type: 'toolApproval' as const, toolUseId: call.callId, tool: call.name, input: {} };
    const update = { type: 'functionCallUpdate', ...call, status: 'needsApproval', requestId: aRequestId };
    expect(agentEvents(one('InputRequested', { request }))).toEqual([update]);
    expect(AgentEvent.parse(update)).toEqual(update);
  });

  it('has a whole message as it was said, and the text of it', () => {
    const content = [{ type: 'text', text: 'two ' }, { type: 'image' }, { type: 'text', text: 'parts' }];
    expect(agentEvents(one('MessageAdded', { content }))).toMatchObject([
      { text: 'two parts', content, partial: false },
    ]);
  });

  it('has a call that failed, and why', () => {
    const { output, ...failed } = eventFixture('ToolFinished');
    const [result] = agentEvents({ ...failed, ok: false, error: 'no such page' });
    expect(result).toEqual({ type: 'functionResult', ...call, ok: false, error: 'no such page' });
    expect(output).toBeDefined();
  });

  it('has a word for each of its 21 types, and ends with finish', () => {
    const said = new Set<AgentEventType>(Object.keys(requests) as AgentEventType[]);
    for (const events of Object.values(AGENT)) for (const { type } of events) said.add(type);
    expect([...said].sort()).toEqual(AgentEvent.options.map(({ shape }) => shape.type.value).sort());
    expect(said.size).toBe(21);
    for (const kind of ['RunFinished', 'RunFailed', 'RunCanceled'] as const) {
      expect(agentEvents(given(kind)).map(({ type }) => type)).toEqual([
        expect.stringMatching(/complete|error/),
        'finish',
      ]);
    }
  });
});

describe('The thread dialect', () => {
  const frame = (event: PublicEvent): Frame | undefined => threadDialect(event)[0];

  it('ends with the text of what came out, or with the summary when it has none', () => {
    expect(frame(one('RunFinished', { output: 'plain' }))?.data).toMatchObject({ text: 'plain' });
    expect(frame(one('RunFinished', { output: { plan: [] } }))?.data).toMatchObject({ text: 'Said hello.' });
    expect(frame(one('RunFinished', { output: undefined }))?.data).toMatchObject({ text: 'Said hello.' });
  });

  it('gives the error of a call that failed for its output', () => {
    const failed = one('ToolFinished', { ok: false, error: 'no such page' });
    expect(frame(failed)?.data).toEqual({ tool: 'search', output: { error: 'no such page' } });
  });

  it('has a reason for every cancel, if only an empty one', () => {
    const { reason, ...quiet } = eventFixture('RunCanceled');
    expect(frame(quiet)?.data).toEqual({ reason: '' });
    expect(reason).toBeDefined();
  });
});
