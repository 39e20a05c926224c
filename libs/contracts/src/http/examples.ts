import { aRequestId, aRunId, aThreadId, eventFixture, FACT_FIXTURES } from '../fixtures.js';

export interface OperationExample {
  readonly body?: unknown;
  readonly answer: unknown;
}

const created = { createdAt: '2026-01-12T10:00:00.000Z', startedAt: '2026-01-12T10:00:00.120Z' };
const summary = {
  ...{ id: aRunId, status: 'SUCCEEDED', progress: 1, ...created, finishedAt: '2026-01-12T10:00:01.480Z' },
  ...{ agent: 'echo', appId: 'demo', policy: 'default', policyVersion: 1, stepsCompleted: 1, userId: 'ada' },
  ...{ inputSummary: 'hello', summary: 'Said hello.' },
};
const echo = {
  id: 'echo',
  version: '2',
  title: 'Echo',
  description: 'Says back what it is told.',
  conversational: true,
};
const echoDetail = {
  ...{ ...echo, policies: [], speakers: ['echo'], tools: [], served: true },
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  graph: {
    nodes: [
      { id: '__start__', name: '__start__', kind: 'start' },
      { id: 'echo', name: 'echo', kind: 'node' },
      { id: '__end__', name: '__end__', kind: 'end' },
    ],
    edges: [
      { from: '__start__', to: 'echo', conditional: false },
      { from: 'echo', to: '__end__', conditional: false },
    ],
  },
  versions: [
    { version: '2', served: true },
    { version: '1', served: false },
  ],
};
const reason = { reason: 'wrong input' };
const status = (now: string) => ({ status: now });
const madeRun = { answer: { runId: aRunId } };
const at = { sequence: 2, ts: '2026-01-12T10:00:01.000Z' };

/** What the routes take and answer, by the id of the operation. A spec holds each to its schema. */
export const EXAMPLES: Readonly<Record<string, OperationExample>> = {
  createRun: { body: { agent: 'echo', appId: 'demo', policy: 'default', input: { text: 'hello' } }, ...madeRun },
  listRuns: { answer: { runs: [summary] } },
  getRun: {
    answer: {
      ...{ ...summary, agentVersion: '1', openInputs: [], goalAchieved: false, output: { text: 'hello' } },
      ...{ usage: { inputTokens: 12, outputTokens: 34, model: 'scripted' }, toolsUsed: ['search'], sources: [] },
    },
  },
  getRunEvents: { answer: { events: [eventFixture('RunStarted')], hasMore: true } },
  getRunSteps: {
    answer: {
      steps: [
        {
          ...{ key: '1/plan', node: 'plan', iteration: 1, attempt: 1, state: 'SUCCESS', durationMs: 41 },
          ...{ startedAt: created.startedAt, finishedAt: '2026-01-12T10:00:00.161Z', output: { plan: ['greet'] } },
        },
      ],
    },
  },
  getRunMessages: {
    answer: {
      messages: [
        {
          ...{ sequence: null, ts: created.createdAt, type: 'request', from: 'ada', role: 'user' },
          content: { text: 'hello' },
        },
        {
          ...{ sequence: 1, ts: at.ts, type: 'model_response', from: 'echo', role: 'agent' },
          ...{ content: { text: 'hello', thinking: 'They greet.', toolCalls: [] }, thinking: 'They greet.' },
          ...{
            model: 'scripted',
            usage: { inputTokens: 12, outputTokens: 34 },
            agentId: 'echo',
            node: 'plan',
            attempt: 1,
          },
        },
        {
          ...{ ...at, type: 'message', from: 'plan', role: 'agent', content: 'hello' },
          ...{ agentId: 'echo', node: 'plan', attempt: 1, round: 0 },
        },
      ],
    },
  },
  getRunTrail: {
    answer: { trail: [{ ...at, kind: 'MessageAdded', text: 'plan: hello', node: 'plan', agentId: 'echo' }] },
  },
  getRunLogs: { answer: { logs: [{ ...at, level: 'info', message: 'planned', source: 'plan', node: 'plan' }] } },
  getRunImprovement: {
    answer: {
      ...{ runId: aRunId, agent: 'echo', status: 'FAILED' },
      summary: 'Asked echo: hello\nplan: failed: overloaded',
      recentErrors: [{ ts: at.ts, node: 'plan', message: 'overloaded', code: 'LLM_FAILED' }],
    },
  },
  getStreamTicket: {
    answer: { ticket: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl', expiresAt: '2026-01-12T10:01:00.000Z' },
  },
  cancelRun: { body: reason, answer: status('CANCELED_REQUESTED') },
  pauseRun: { body: reason, answer: status('PAUSED') },
  resumeRun: { body: reason, answer: status('RUNNING') },
  answerInput: { body: { response: { text: 'Ada' } }, answer: status('RUNNING') },
  markRunDone: { body: { note: 'good enough' }, answer: status('RUNNING') },
  retryRun: {
    body: { note: 'shorter, please' },
    answer: { runId: aRunId, improvementRunId: FACT_FIXTURES.ImprovementProvided.improvementRunId },
  },
  listAgents: { answer: { agents: [{ ...echo, served: true }] } },
  getAgent: { answer: echoDetail },
  getAgentVersion: { answer: { ...echoDetail, version: '1', served: false } },
  runAgent: { body: { agent: 'chat', input: { text: 'hello' } }, ...madeRun },
  answerAgent: { body: { requestId: aRequestId, response: { choice: 'left' } }, answer: status('RUNNING') },
  abortAgent: { body: reason, answer: status('CANCELED_REQUESTED') },
  createThread: { body: { agent: 'echo', title: 'Greetings' }, answer: { threadId: aThreadId } },
  getThread: { answer: { id: aThreadId, agent: 'echo', title: 'Greetings', createdAt: created.createdAt } },
  postMessage: { body: { content: 'hello', files: [{ name: 'a.txt', mediaType: 'text/plain' }] }, ...madeRun },
  getThreadRun: { answer: { id: aRunId, status: 'running', ...created, finishedAt: null } },
  cancelThreadRun: { body: reason, answer: status('running') },
};
