import { EventId, RequestId, RunId, TaskKey, TenantId, ThreadId } from './ids.js';
import { isPublic } from './classification.js';
import type { RunEvent, RunEventKind, RunEventOf, RunFactOf } from './events/run-event.js';
import type { ThreadEvent } from './events/thread-event.js';

export const aTenantId = TenantId.parse('01JD0000000000000000000001');
export const aRunId = RunId.parse('01JD0000000000000000000002');
export const anEventId = EventId.parse('01JD0000000000000000000003');
export const aThreadId = ThreadId.parse('01JD0000000000000000000004');
export const aRequestId = RequestId.parse('01JD0000000000000000000005');
export const aTaskKey = TaskKey.parse('1/plan');

const speaker = { agentId: 'echo', node: 'plan', taskKey: aTaskKey, iteration: 1, attempt: 1 };
const tool = { ...speaker, toolUseId: '1/plan#search-1', tool: 'search' };
const usage = { inputTokens: 12, outputTokens: 34, model: 'scripted' };

/** One believable fact of every kind: for tests, documents and examples. */
export const FACT_FIXTURES: { readonly [K in RunEventKind]: RunFactOf<K> } = {
  RunRequested: {
    kind: 'RunRequested',
    agent: 'echo',
    appId: 'demo',
    policy: 'default',
    input: { text: 'hello' },
    userId: 'ada',
  },
  RunQueued: { kind: 'RunQueued', waitingFor: 'tenant-slot' },
  RunStarted: { kind: 'RunStarted', appId: 'demo', policy: 'default', agent: 'echo', agentVersion: '1' },
  RunPaused: { kind: 'RunPaused', by: 'ada', reason: 'rate limit' },
  RunResumed: { kind: 'RunResumed', by: 'ada' },
  RunCancelRequested: { kind: 'RunCancelRequested', requestedBy: 'ada', reason: 'wrong input' },
  GraphEnded: {
    kind: 'GraphEnded',
    result: 'SUCCEEDED',
    summary: 'hello',
    stepsCompleted: 1,
    output: { text: 'hello' },
    sources: [],
    usage: { inputTokens: 12, outputTokens: 3, model: 'scripted' },
    toolsUsed: [],
    standsAlone: true,
  },
  FollowUpDue: { kind: 'FollowUpDue' },
  RunFinished: {
    kind: 'RunFinished',
    summary: 'Said hello.',
    stepsCompleted: 1,
    output: { text: 'hello' },
    sources: [],
    usage,
    toolsUsed: ['search'],
  },
  RunFailed: { kind: 'RunFailed', reason: 'The model did not answer.', errorCode: 'MAX_RETRIES_EXCEEDED' },
  RunCanceled: { kind: 'RunCanceled', canceledBy: 'ada', reason: 'wrong input' },
  PolicySwitched: {
    kind: 'PolicySwitched',
    ...speaker,
    fromPolicy: 'default',
    toPolicy: 'careful',
    reason: 'two failures in a row',
  },
  CheckpointSaved: { kind: 'CheckpointSaved', iteration: 20, node: 'plan', resumeToken: 'sha256-0' },
  GoalAchieved: { kind: 'GoalAchieved', by: 'ada', note: 'good enough' },
  RetryRequested: { kind: 'RetryRequested', by: 'ada', note: 'shorter, please' },
  ImprovementProvided: {
    kind: 'ImprovementProvided',
    improvementRunId: RunId.parse('01JD0000000000000000000006'),
    outcome: 'SUCCEEDED',
    improvement: 'Ask for less at a time.',
  },
  NodeScheduled: {
    kind: 'NodeScheduled',
    tasks: [{ key: aTaskKey, node: 'plan', iteration: 1, inputHash: 'q83vEjRWeJo' }],
  },
  NodeStarted: { kind: 'NodeStarted', ...speaker },
  NodeFinished: { kind: 'NodeFinished', ...speaker, result: 'SUCCESS', durationMs: 41, output: { plan: ['greet'] } },
  NodeRetryScheduled: {
    kind: 'NodeRetryScheduled',
    ...speaker,
    error: { message: 'overloaded', retryable: true },
    retryAt: '2026-01-12T10:00:02.000Z',
  },
  NodeSuspended: { kind: 'NodeSuspended', ...speaker, requestIds: [aRequestId] },
  EffectRecorded: { kind: 'EffectRecorded', ...speaker, key: 'now', value: '2026-01-12T10:00:00.000Z' },
  AgentChanged: { kind: 'AgentChanged', ...speaker, fromAgentId: 'echo', toAgentId: 'critic' },
  TokenDelta: { kind: 'TokenDelta', ...speaker, text: 'hel' },
  ThoughtDelta: { kind: 'ThoughtDelta', ...speaker, text: 'They greet.' },
  ModelRequested: { kind: 'ModelRequested', ...speaker, callId: 'c1', model: 'scripted', request: { messages: 2 } },
  ModelResponded: {
    kind: 'ModelResponded',
    ...speaker,
    callId: 'c1',
    model: 'scripted',
    content: [{ type: 'text', text: 'hello' }],
    usage,
    stopReason: 'end_turn',
  },
  ToolRequested: { kind: 'ToolRequested', ...tool, input: { query: 'mill' } },
  ToolProgressed: { kind: 'ToolProgressed', ...tool, status: 'half way' },
  ToolFinished: { kind: 'ToolFinished', ...tool, ok: true, output: { hits: 3 } },
  InputRequested: {
    kind: 'InputRequested',
    ...speaker,
    requestId: aRequestId,
    request: { type: 'waitForInput', prompt: 'Your name?' },
  },
  InputProvided: { kind: 'InputProvided', requestId: aRequestId, response: { text: 'Ada' }, by: 'ada' },
  InputExpired: { kind: 'InputExpired', requestId: aRequestId },
  MessageAdded: { kind: 'MessageAdded', ...speaker, from: 'plan', role: 'agent', content: 'hello', round: 1 },
  SubagentProgressed: {
    kind: 'SubagentProgressed',
    ...speaker,
    toolUseId: tool.toolUseId,
    subagentId: 's1',
    json: { done: 1 },
  },
  SubagentFailed: {
    kind: 'SubagentFailed',
    ...speaker,
    toolUseId: tool.toolUseId,
    subagentId: 's1',
    error: 'no picture',
  },
  SubagentFinished: { kind: 'SubagentFinished', ...speaker, toolUseId: tool.toolUseId, subagentId: 's1' },
  SpecialistFinished: {
    kind: 'SpecialistFinished',
    ...speaker,
    specialistId: 'critic',
    outcome: 'accepted',
    summary: 'Fine as it is.',
  },
  GraphEdited: { kind: 'GraphEdited', ...speaker, edits: [{ op: 'addNode', id: 'n1' }] },
  LogWritten: { kind: 'LogWritten', ...speaker, level: 'info', message: 'planned', source: '[Agent]' },
  ProgressReported: { kind: 'ProgressReported', ...speaker, message: 'half way', fraction: 0.5 },
};

/** The fact as the log stores it at the given place. */
export const eventFixture = <K extends RunEventKind>(kind: K, at = { position: 7, sequence: 4 }): RunEventOf<K> => {
  const fact = FACT_FIXTURES[kind];
  const stamp = {
    eventId: anEventId,
    tenantId: aTenantId,
    runId: aRunId,
    position: at.position,
    ...(isPublic(fact) ? { sequence: at.sequence } : {}),
    ts: '2026-01-12T10:00:00.000Z',
    version: '1',
  };
  return { ...stamp, ...fact } as RunEvent as RunEventOf<K>;
};

export const THREAD_CREATED_FIXTURE: ThreadEvent = {
  eventId: anEventId,
  tenantId: aTenantId,
  threadId: aThreadId,
  position: 0,
  ts: '2026-01-12T10:00:00.000Z',
  version: '1',
  kind: 'ThreadCreated',
  agent: 'echo',
  title: 'Greetings',
  by: 'ada',
};
