import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase, RunReader } from '@millrace/adapter-postgres';
import { isPublic, RunId, type RunRef } from '@millrace/contracts';
import { foldRunRows, LiveStory, type RunRows, storyOf } from '@millrace/run-views';
import { join } from 'node:path';
import { Cluster } from './cluster.for-spec.js';

const AGENT_MODULES = join(import.meta.dirname, '..', 'agents', 'witness.mjs');

let cluster: Cluster;
let database: Database;
let run: RunRef;
let rows: RunRows;
let answers: Record<string, unknown>;
beforeAll(async () => {
  const roles = { orchestrator: 1, 'node-workers': 1, projector: 1, 'run-api': 1 };
  cluster = await Cluster.start(roles, { AGENT_MODULES });
  database = await openDatabase({ url: cluster.postgres!.urlFor('run-api'), applicationName: 'e2e' });
  const order = { agent: 'witness', appId: 'e2e', policy: 'default', projectId: 'atlas', input: { text: 'tell' } };
  const { runId } = await cluster.ask('POST', '/agents/runs', order);
  run = { tenantId: cluster.tenantId, runId: RunId.parse(runId) };
  const asked = (await cluster.until(run, ({ kind }) => kind === 'InputRequested')).at(-1);
  const requestId = asked?.kind === 'InputRequested' ? asked.requestId : '';
  await cluster.ask('POST', `/agents/runs/${run.runId}/inputs/${requestId}`, { response: { text: 'Ada' } });
  const events = await cluster.ended(run);
  const reader = new RunReader(database);
  do rows = await reader.rows(run.tenantId, run.runId);
  while ((rows.run?.lastPosition ?? -1) < events.length - 1);
  answers = {};
  for (const part of ['', '/messages', '/logs', '/trail', '/steps']) {
    answers[part] = await cluster.ask('GET', `/agents/runs/${run.runId}${part}`);
  }
});
afterAll(async () => {
  await database?.close();
  await cluster?.stop();
});

const numbered = { sequence: expect.any(Number), position: expect.any(Number) };
/** What clients do not see has a place in the run's history, and no number in what they see. */
const unseen = { sequence: null, position: expect.any(Number), isInternal: true };
const usage = { inputTokens: expect.any(Number), outputTokens: expect.any(Number) };

describe('What PostgreSQL keeps of a run', () => {
  it('is the fold of its log, and the story a page would have followed', async () => {
    const { events } = await cluster.log.read(run);
    expect(rows).toEqual(foldRunRows(events));
    const live = new LiveStory(run);
    for (const event of events.filter(isPublic)) live.take(event);
    expect(storyOf(rows)).toEqual(live.story());
  });

  it('has the thoughts and the words of a model, whose they are, and what they cost', () => {
    expect(rows.messages.filter(({ type }) => type === 'model_response')).toMatchObject([
      {
        ...{ ...numbered, agentId: 'witness', node: 'testify', role: 'agent', isInternal: false, usage },
        thinking: 'They want to know. ',
        content: { text: 'I will look it up. ' },
        model: expect.stringMatching(/^scripted:/),
      },
    ]);
  });

  it('has every tool with its input, its agent and its one result or error', () => {
    expect(rows.toolCalls.filter(({ isInternal }) => !isInternal)).toMatchObject([
      {
        ...{ ...numbered, tool: 'search', input: { query: 'mill' }, agentId: 'witness', progress: 'reading' },
        ...{ status: 'ok', output: 'a mill', error: null, finishedSequence: expect.any(Number) },
      },
      {
        ...{ ...numbered, tool: 'forget', input: {}, agentId: 'witness', status: 'failed', output: null },
        ...{ error: 'it was never known', finishedSequence: expect.any(Number) },
      },
    ]);
  });

  it('has what moves control between agents, marked as internal', () => {
    expect(rows.toolCalls.filter(({ isInternal }) => isInternal)).toMatchObject([
      {
        ...{ ...unseen, tool: 'transfer_to_critic', input: { because: 'to be sure' }, agentId: 'witness' },
        ...{ status: 'ok', output: 'moved' },
      },
    ]);
    const moved = { fromAgentId: 'witness', toAgentId: 'critic' };
    expect(rows.messages.filter(({ type }) => type === 'agent_transition')).toMatchObject([
      { ...unseen, agentId: 'witness', content: moved },
    ]);
    expect(rows.run?.toolsUsed).toEqual(['forget', 'search']);
  });

  it('has the messages of the run, with who said them, as what and in which round', () => {
    expect(rows.messages.map(({ type, from, role, round }) => ({ type, from, role, round }))).toEqual([
      { type: 'request', from: 'ada', role: 'user', round: null },
      { type: 'model_response', from: 'witness', role: 'agent', round: null },
      { type: 'agent_transition', from: 'witness', role: 'agent', round: null },
      { type: 'message', from: 'testify', role: 'agent', round: 1 },
      { type: 'answer', from: 'ada', role: 'user', round: null },
    ]);
    expect(rows.messages.find(({ type }) => type === 'message')).toMatchObject({ agentId: 'critic' });
  });

  it('has each line of its log once, from the node and from a tool it called', () => {
    expect(rows.logs).toMatchObject([
      { ...numbered, level: 'info', message: 'sworn in', source: '[testify]', payload: { oath: true } },
      { ...numbered, level: 'warn', message: 'the index is old', source: '[search]', payload: { query: 'mill' } },
    ]);
  });

  it('has a line of the trail for what was said, asked and done', () => {
    expect(rows.trail.map(({ text }) => text)).toEqual([
      'Started witness 1',
      'search: answered: a mill',
      'forget: failed: it was never known',
      'testify: I will look it up. a mill',
      'testify asks: Who asks?',
      'ada answered: Ada',
      expect.stringMatching(/^testify: done/),
      'Finished: told Ada',
    ]);
  });

  it('names the project in every row', () => {
    const { run: stored, deadLetter, ...lists } = rows;
    expect(deadLetter).toBeUndefined();
    const all = [stored, ...Object.values(lists).flat()];
    expect(new Set(all.map((row) => row?.projectId))).toEqual(new Set(['atlas']));
  });
});

describe('What run-api tells of it', () => {
  it('is the same, but for what is internal', () => {
    expect(answers['']).toMatchObject({
      ...{ status: 'SUCCEEDED', projectId: 'atlas', agentVersion: '1', stepsCompleted: 1, openInputs: [], usage },
      ...{ output: { text: 'told Ada' }, sources: ['memory'], toolsUsed: ['forget', 'search'] },
    });
    expect(answers['/messages']).toMatchObject({
      messages: [
        { type: 'request', sequence: null, content: { text: 'tell' } },
        { type: 'model_response', thinking: 'They want to know. ', usage, agentId: 'witness' },
        { type: 'message', agentId: 'critic' },
        { type: 'answer', content: { text: 'Ada' } },
      ],
    });
    expect(answers['/logs']).toMatchObject({ logs: [{ source: '[testify]' }, { source: '[search]' }] });
    expect(answers['/trail']).toMatchObject({ trail: rows.trail.map(({ text, sequence }) => ({ text, sequence })) });
    expect(answers['/steps']).toMatchObject({ steps: [{ node: 'testify', state: 'SUCCESS' }] });
    expect(JSON.stringify(answers)).not.toContain('transfer_to_critic');
  });
});
