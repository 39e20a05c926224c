import { describe, expect, it } from '@jest/globals';
import { RunStatus, THREAD_CREATED_FIXTURE, type RunFact } from '@millrace/contracts';
import {
  agentChanged,
  aFailedRun,
  aFinishedRun,
  anAnsweredRun,
  anAskingRun,
  aPausedRun,
  aRunIn,
  aRunningRun,
  checkpointSaved,
  goalAchieved,
  inputExpired,
  logWritten,
  messageAdded,
  modelResponded,
  nodeFinished,
  nodeRetryScheduled,
  nodeStarted,
  progressReported,
  runCanceled,
  runCancelRequested,
  runFailed,
  runRequested,
  stored,
  toolFinished,
  toolProgressed,
  toolRequested,
} from '@millrace/testing';
import type { RunRows } from './rows.js';
import { foldRun, foldRunRows } from './run-views.js';
import { foldThread } from './thread.fold.js';

const rowsOf = (...facts: RunFact[]): RunRows => foldRunRows(stored(facts));

describe('The row of a run', () => {
  it.each(RunStatus.options)('shows the status %s', (status) => {
    expect(foldRun(stored(aRunIn(status)))?.status).toBe(status);
  });

  it('is not there before the run was requested', () => {
    expect(rowsOf(nodeStarted(), messageAdded())).toEqual(rowsOf());
  });

  it('tells what a finished run came to', () => {
    expect(rowsOf(...aFinishedRun()).run).toMatchObject({
      progress: 1,
      createdAt: '2026-01-12T10:00:00.000Z',
      startedAt: '2026-01-12T10:00:01.000Z',
      finishedAt: '2026-01-12T10:00:05.000Z',
      error: null,
    });
  });

  it('counts steps, progress and tokens while the run is under way', () => {
    const { run } = rowsOf(
      ...aRunningRun(),
      modelResponded({ usage: { inputTokens: 5, outputTokens: 2 } }),
      modelResponded({ callId: 'c2', usage: { inputTokens: 1, outputTokens: 1 } }),
      progressReported({ fraction: 0.25 }),
      toolRequested(),
      nodeFinished(),
    );
    expect(run).toMatchObject({
      stepsCompleted: 1,
      progress: 0.25,
      usage: { inputTokens: 6, outputTokens: 3, model: 'scripted' },
      toolsUsed: ['search'],
    });
  });

  it('keeps who asked for the cancel, and why', () => {
    const canceled = [...aPausedRun(), runCancelRequested({ requestedBy: 'ada', reason: 'too slow' }), runCanceled()];
    expect(rowsOf(...canceled).run).toMatchObject({ cancel: { by: expect.any(String), reason: expect.any(String) } });
  });

  it('hears after its end of nothing but an achieved goal', () => {
    const ended = rowsOf(...aFinishedRun());
    const later = rowsOf(...aFinishedRun(), messageAdded(), goalAchieved());
    expect(later.messages).toEqual(ended.messages);
    expect(later.run).toMatchObject({ status: 'SUCCEEDED', goalAchieved: true });
  });

  it('has a bounded summary of whatever the input is', () => {
    const summaryOf = (input: unknown) => rowsOf(runRequested({ input })).run?.inputSummary;
    expect([summaryOf({ text: 'hi' }), summaryOf('hi'), summaryOf({ a: 1 }), summaryOf(null)]).toEqual([
      'hi',
      'hi',
      '{"a":1}',
      '',
    ]);
    expect(summaryOf('x'.repeat(10_000))).toHaveLength(500);
  });

  it('keeps texts a database can store, and leaves what is JSON alone', () => {
    const { run, messages } = rowsOf(runRequested({ userId: 'a\0b\uD800', input: { text: 'a\0b' } }));
    expect([run?.userId, run?.inputSummary]).toEqual(['a\uFFFDb\uFFFD', 'a\uFFFDb']);
    expect(messages[0]?.content).toEqual({ text: 'a\0b' });
  });
});

describe('The row of a step', () => {
  it('supersedes what a failed attempt said, but not what one said before it waited', () => {
    const retried = rowsOf(...aRunningRun(), nodeRetryScheduled(), nodeStarted({ attempt: 2 }));
    expect(retried.steps).toMatchObject([{ status: 'RUNNING', attempt: 2, standsFrom: 2, retryAt: null }]);
    const continued = rowsOf(...anAnsweredRun(), nodeStarted({ attempt: 2, continues: true }));
    expect(continued.steps).toMatchObject([{ status: 'RUNNING', attempt: 2, standsFrom: 1 }]);
  });

  it('keeps the error of the attempt before until the step has ended', () => {
    const retrying = [...aRunningRun(), nodeRetryScheduled()];
    expect(rowsOf(...retrying).steps).toMatchObject([
      { status: 'RETRYING', retryAt: '2026-01-12T10:00:02.000Z', error: { message: 'overloaded' } },
    ]);
    expect(rowsOf(...retrying, nodeStarted({ attempt: 2 }), nodeFinished({ attempt: 2 })).steps).toMatchObject([
      { status: 'SUCCESS', error: null },
    ]);
  });
});

describe('What was said in a run', () => {
  it('is the request, messages, responses with their thoughts, answers and changes of agent, in order', () => {
    const thinking = [
      { type: 'thinking', thinking: 'They greet.' },
      { type: 'text', text: 'hello' },
    ];
    const { messages } = rowsOf(
      ...anAnsweredRun(),
      nodeStarted({ attempt: 2, continues: true }),
      modelResponded({ content: thinking }),
      messageAdded({ usage: { inputTokens: 1, outputTokens: 2 }, model: 'scripted' }),
      agentChanged(),
    );
    expect(messages.map(({ type, role, isInternal }) => [type, role, isInternal])).toEqual([
      ['request', 'user', false],
      ['answer', 'user', false],
      ['model_response', 'agent', false],
      ['message', 'agent', false],
      ['agent_transition', 'agent', true],
    ]);
    expect(messages[2]).toMatchObject({ thinking: 'They greet.', content: thinking, sequence: expect.any(Number) });
    expect(messages[3]).toMatchObject({ model: 'scripted', usage: { outputTokens: 2 }, agentId: 'echo' });
  });

  it.each([
    ['as llm() records them', { text: 'hello', thinking: 'They greet.', toolCalls: [] }, 'They greet.'],
    [
      'in blocks of a vendor',
      [
        { type: 'thinking', thinking: 'They greet.' },
        { type: 'thinking', thinking: 'So do I.' },
      ],
      'They greet.\nSo do I.',
    ],
    ['when there are none', { text: 'hello', toolCalls: [] }, null],
    ['when the answer is a text', 'thinking', null],
    ['when they are no text', { thinking: { a: 1 } }, null],
  ])('has the thoughts of a model, %s', (_how, content, thinking) => {
    expect(rowsOf(...aRunningRun(), modelResponded({ content })).messages.at(-1)).toMatchObject({ content, thinking });
  });

  it('leaves log lines and checkpoints in tables of their own', () => {
    const { logs, checkpoints, messages } = rowsOf(...aRunningRun(), logWritten({ payload: [1] }), checkpointSaved());
    expect(logs).toMatchObject([{ level: 'info', message: 'planned', source: '[Agent]', payload: [1] }]);
    expect(checkpoints).toMatchObject([{ iteration: expect.any(Number), sequence: null }]);
    expect(messages).toHaveLength(1);
  });
});

describe('What a run asked for', () => {
  it('shows a call from its request to its response', () => {
    const called = [...aRunningRun(), toolRequested(), toolProgressed()];
    expect(rowsOf(...called).toolCalls).toMatchObject([
      { status: 'open', progress: 'half way', input: { query: 'mill' } },
    ]);
    const failed = toolFinished({ ok: false, output: undefined, error: 'no index' });
    expect(rowsOf(...called, failed, toolFinished()).toolCalls).toMatchObject([
      { status: 'failed', error: 'no index', output: null, finishedSequence: expect.any(Number) },
    ]);
  });

  it('marks a tool that moves control between agents as internal, and keeps it out of the trail', () => {
    const tool = 'transfer_to_critic';
    const rows = rowsOf(...aRunningRun(), toolRequested({ tool }), toolFinished({ tool }));
    expect(rows.toolCalls).toMatchObject([{ isInternal: true, sequence: null, status: 'ok' }]);
    expect(rows.trail.filter(({ kind }) => kind === 'ToolFinished')).toEqual([]);
  });

  it('shows a question as open, answered or expired', () => {
    const ends = [anAskingRun(), anAnsweredRun(), [...anAskingRun(), inputExpired()]].map((facts) => rowsOf(...facts));
    expect(ends.map(({ inputRequests }) => inputRequests.map(({ status }) => status))).toEqual([
      ['open'],
      ['answered'],
      ['expired'],
    ]);
    expect(ends[1]?.inputRequests).toMatchObject([{ response: { text: 'Ada' }, answeredBy: 'ada' }]);
  });
});

describe('The trail', () => {
  it('tells the story in lines', () => {
    const { trail } = rowsOf(...anAnsweredRun(), toolRequested(), toolFinished(), messageAdded());
    expect(trail.map(({ text }) => text)).toEqual([
      'Started echo 1',
      'plan asks: Your name?',
      'ada answered: Ada',
      'search: answered: {"hits":3}',
      'plan: hello',
    ]);
  });

  it('has one bounded line for a text of many', () => {
    const { trail } = rowsOf(...aRunningRun(), messageAdded({ content: 'so\n much '.repeat(1_000) }));
    expect(trail.at(-1)?.text).toMatch(/^plan: so much so much .{470,}…$/);
    expect(trail.at(-1)?.text).toHaveLength(500);
  });
});

describe('A dead letter', () => {
  it('is left by a run that failed, and by no other', () => {
    expect(rowsOf(...aFinishedRun()).deadLetter).toBeUndefined();
    expect(rowsOf(...aFailedRun()).deadLetter).toMatchObject({ agent: 'echo', errorCode: expect.any(String) });
  });
});

describe('Every row of a run', () => {
  it('names the project of the run, and none when it has none', () => {
    const facts = (projectId: string | undefined): RunFact[] => [
      ...anAnsweredRun().map((fact) => (fact.kind === 'RunRequested' ? runRequested({ projectId }) : fact)),
      nodeStarted({ attempt: 2, continues: true }),
      ...[toolRequested(), logWritten(), checkpointSaved(), agentChanged(), runFailed()],
    ];
    const projectsIn = ({ run, deadLetter, ...lists }: RunRows) =>
      [[run, deadLetter], ...Object.values(lists)].map((rows) => new Set(rows.map((row) => row?.projectId)));
    expect(projectsIn(rowsOf(...facts('atlas')))).toEqual(Array(8).fill(new Set(['atlas'])));
    expect(projectsIn(rowsOf(...facts(undefined)))).toEqual(Array(8).fill(new Set([null])));
  });
});

describe('The row of a thread', () => {
  it('is in the project it was created in', () => {
    expect(foldThread([THREAD_CREATED_FIXTURE])).toMatchObject({ projectId: null });
    expect(foldThread([{ ...THREAD_CREATED_FIXTURE, projectId: 'atlas' }])).toMatchObject({ projectId: 'atlas' });
  });

  it('is what its creation says', () => {
    expect(foldThread([THREAD_CREATED_FIXTURE])).toMatchObject({ title: 'Greetings', createdBy: 'ada', agent: 'echo' });
    expect(foldThread([])).toBeUndefined();
  });
});
