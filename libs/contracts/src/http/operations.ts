import { z } from 'zod';
import { ThreadRunStatus } from '../run-status.js';
import { AgentInputBody, AgentRunParams, StartAgentBody } from './agent.http.js';
import { AgentDetail, AgentParams, AgentsPage, AgentsQuery, AgentVersionParams } from './catalogue.http.js';
import {
  CommandBody,
  CreateRunBody,
  EventsPage,
  EventsQuery,
  RunCreated,
  RunParams,
  RunStatusAnswer,
  StreamTicketAnswer,
} from './native.http.js';
import { AnswerBody, DoneBody, RunInputParams, ThreadView } from './requests.http.js';
import { RetryBody, RetryCreated, RunImprovement } from './retry.http.js';
import { RunsPage, RunsQuery } from './run-list.http.js';
import { LogsAnswer, MessagesAnswer, RunDetail, StepsAnswer, TrailAnswer } from './run-reads.http.js';
import { CreateThreadBody, PostMessageBody, ThreadCreatedAnswer, ThreadParams, ThreadRunView } from './thread.http.js';

export interface Operation {
  readonly id: string;
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly tag: 'native' | 'agent' | 'thread';
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: { readonly schema: z.ZodObject; readonly required: boolean };
  readonly answer: z.ZodType;
  /** Answers 201; with `by key` it takes an Idempotency-Key. */
  readonly creates?: 'by key' | 'each time';
  /** Where the method does not tell. */
  readonly scope?: 'runs:read' | 'runs:write';
}

export const scopeOf = ({ method, scope }: Operation) => scope ?? (method === 'get' ? 'runs:read' : 'runs:write');

const needed = (schema: z.ZodObject) => ({ schema, required: true });
const allowed = (schema: z.ZodObject) => ({ schema, required: false });

const run = { tag: 'native', params: RunParams } as const;
const order = { ...run, method: 'post', body: allowed(CommandBody), answer: RunStatusAnswer } as const;
const read = { ...run, method: 'get' } as const;
const runs = '/agents/runs';
const catalogue = '/agents/catalogue';

/** Every route but health and this document; a spec compares the list with the routes that are there. */
export const OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'createRun', method: 'post', path: runs, tag: 'native', summary: 'Ask for a run' },
    ...{ body: needed(CreateRunBody), answer: RunCreated, creates: 'by key' },
  },
  {
    ...{ id: 'listRuns', method: 'get', path: runs, tag: 'native', summary: 'Runs, the newest first' },
    ...{ query: RunsQuery, answer: RunsPage },
  },
  { ...read, id: 'getRun', path: `${runs}/:id`, summary: 'The run as it stands', answer: RunDetail },
  {
    ...{ ...read, id: 'getRunEvents', path: `${runs}/:id/events`, summary: 'Public events from a sequence on' },
    ...{ query: EventsQuery, answer: EventsPage },
  },
  { ...read, id: 'getRunSteps', path: `${runs}/:id/steps`, summary: 'Its steps', answer: StepsAnswer },
  { ...read, id: 'getRunMessages', path: `${runs}/:id/messages`, summary: 'What was said', answer: MessagesAnswer },
  { ...read, id: 'getRunTrail', path: `${runs}/:id/trail`, summary: 'What happened, in lines', answer: TrailAnswer },
  { ...read, id: 'getRunLogs', path: `${runs}/:id/logs`, summary: 'What nodes logged', answer: LogsAnswer },
  {
    ...{ ...run, id: 'getStreamTicket', method: 'post', path: `${runs}/:id/stream-ticket`, creates: 'each time' },
    ...{ scope: 'runs:read', summary: 'A ticket to follow the run with, for browsers', answer: StreamTicketAnswer },
  },
  {
    ...{ ...read, id: 'getRunImprovement', path: `${runs}/:id/improvement`, answer: RunImprovement },
    summary: 'What somebody who is to do better has to know, in few words',
  },
  { ...order, id: 'cancelRun', path: `${runs}/:id/cancel`, summary: 'Ask for it to be canceled' },
  { ...order, id: 'pauseRun', path: `${runs}/:id/pause`, summary: 'Start no further nodes' },
  { ...order, id: 'resumeRun', path: `${runs}/:id/resume`, summary: 'Go on' },
  {
    ...{ ...order, id: 'answerInput', path: `${runs}/:id/inputs/:requestId`, summary: 'Answer a request for input' },
    ...{ params: RunInputParams, body: needed(AnswerBody) },
  },
  { ...order, id: 'markRunDone', path: `${runs}/:id/done`, summary: 'The goal is reached', body: allowed(DoneBody) },
  {
    ...{ ...order, id: 'retryRun', path: `${runs}/:id/retry`, summary: 'A new run in place of an ended one' },
    ...{ body: allowed(RetryBody), answer: RetryCreated, creates: 'by key' },
  },
  {
    ...{ id: 'listAgents', method: 'get', path: catalogue, tag: 'native', summary: 'Agents that can be asked for' },
    ...{ query: AgentsQuery, answer: AgentsPage },
  },
  {
    ...{ id: 'getAgent', method: 'get', path: `${catalogue}/:agent`, tag: 'native', params: AgentParams },
    ...{ summary: 'One of them, in the version new runs start with', answer: AgentDetail },
  },
  {
    ...{ id: 'getAgentVersion', method: 'get', path: `${catalogue}/:agent/versions/:version`, tag: 'native' },
    ...{ params: AgentVersionParams, summary: 'One of its versions, whether it is served or not', answer: AgentDetail },
  },
  {
    ...{ id: 'runAgent', method: 'post', path: '/api/agent/run', tag: 'agent', summary: 'Run an agent' },
    ...{ body: needed(StartAgentBody), answer: RunCreated, creates: 'by key' },
  },
  {
    ...{ id: 'answerAgent', method: 'post', path: '/api/agent/:runId/input', tag: 'agent', summary: 'Answer it' },
    ...{ params: AgentRunParams, body: needed(AgentInputBody), answer: RunStatusAnswer },
  },
  {
    ...{ id: 'abortAgent', method: 'post', path: '/api/agent/:runId/abort', tag: 'agent', summary: 'Stop it' },
    ...{ params: AgentRunParams, body: allowed(CommandBody), answer: RunStatusAnswer },
  },
  {
    ...{ id: 'createThread', method: 'post', path: '/api/threads', tag: 'thread', summary: 'Begin a conversation' },
    ...{ body: allowed(CreateThreadBody), answer: ThreadCreatedAnswer, creates: 'by key' },
  },
  {
    ...{ id: 'getThread', method: 'get', path: '/api/threads/:id', tag: 'thread', summary: 'The conversation' },
    ...{ params: ThreadParams, answer: ThreadView },
  },
  {
    ...{
      id: 'postMessage',
      method: 'post',
      path: '/api/threads/:id/messages',
      tag: 'thread',
      summary: 'Say something',
    },
    ...{ params: ThreadParams, body: needed(PostMessageBody), answer: RunCreated, creates: 'by key' },
  },
  {
    ...{ id: 'getThreadRun', method: 'get', path: '/api/runs/:id', tag: 'thread', summary: 'The run as it stands' },
    ...{ params: RunParams, answer: ThreadRunView },
  },
  {
    ...{ id: 'cancelThreadRun', method: 'post', path: '/api/runs/:id/cancel', tag: 'thread', summary: 'Stop it' },
    ...{ params: RunParams, body: allowed(CommandBody), answer: z.object({ status: ThreadRunStatus }) },
  },
];
