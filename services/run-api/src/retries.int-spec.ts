import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunId, RunImprovement, type RunEvent, type RunRef } from '@millrace/contracts';
import { EMPTY_TAIL } from '@millrace/ports';
import { failRun, finishRun, startRun } from '@millrace/testing';
import { ApiWorld } from './api-world.for-spec.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
});
afterAll(() => world.stop());

const post = (url: string, body?: unknown) => world.ask('POST', url, { body });
const get = async (url: string) => (await world.ask('GET', url)).body;
const refOf = (runId: unknown): RunRef => ({ tenantId: world.ada, runId: RunId.parse(runId) });

const aFailed = async (options: object = {}): Promise<RunRef> => {
  const ref = await world.create({ appId: 'demo', policy: 'default', input: { text: 'hello' }, ...options });
  await world.others.handle(startRun(ref));
  await world.others.handle(failRun(ref));
  return ref;
};

/** What the service's consumer does is waited for in the log. */
const seen = async (ref: RunRef, kind: RunEvent['kind']): Promise<RunEvent> => {
  for await (const event of world.log.follow(ref, EMPTY_TAIL)) if (event.kind === kind) return event;
  throw new Error(`${kind} never came`);
};

describe('A retry over HTTP', () => {
  it('answers with a run that can be read at once, and is given what its improvement found', async () => {
    const old = await aFailed();
    const { status, body } = await post(`/agents/runs/${old.runId}/retry`, { note: 'shorter' });
    expect(status).toBe(201);
    const { runId, improvementRunId } = body;
    expect(await get(`/agents/runs/${String(runId)}`)).toMatchObject({
      ...{ status: 'PENDING', retryOf: old.runId, improvedBy: improvementRunId },
    });
    expect(await get(`/agents/runs/${String(improvementRunId)}`)).toMatchObject({ agent: 'improver', improves: runId });
    const improver = refOf(improvementRunId);
    await world.others.handle(startRun(improver));
    await world.others.handle(finishRun({ ...improver, output: { text: 'ask for less' } }));
    expect(await seen(refOf(runId), 'ImprovementProvided')).toMatchObject({ improvement: 'ask for less' });
  });

  it('is completed by the service itself when whoever took the wish died over it', async () => {
    const old = await aFailed();
    const retryRunId = RunId.parse(world.ids.next());
    await world.others.handle({ kind: 'RequestRetry', ...old, by: 'ada', retryRunId });
    expect(await seen(refOf(retryRunId), 'RunRequested')).toMatchObject({ retryOf: old.runId });
  });
});

describe('One key for two things at the same time', () => {
  const statusesOf = (answers: readonly { status: number; body: Record<string, unknown> }[]) =>
    answers.map(({ status, body }) => [status, body['code']]).sort();
  const ONE_WINS = [
    [201, undefined],
    [422, 'IDEMPOTENCY_KEY_REUSED'],
  ];
  const wishesIn = async (ref: RunRef) => (await world.kinds(ref)).filter((kind) => kind === 'RetryRequested').length;

  it('retries one of two runs, and nothing is left in the other', async () => {
    for (let round = 0; round < 10; round += 1) {
      const runs = [await aFailed(), await aFailed()];
      const headers = { 'idempotency-key': `two-retries-${round}` };
      const answers = await Promise.all(
        runs.map(({ runId }) => world.ask('POST', `/agents/runs/${runId}/retry`, { headers })),
      );
      expect(statusesOf(answers)).toEqual(ONE_WINS);
      const winner = answers.findIndex(({ status }) => status === 201);
      const made = refOf(answers[winner]!.body['runId']);
      expect((await world.log.read(made)).events[0]).toMatchObject({ retryOf: runs[winner]!.runId });
      expect([await wishesIn(runs[winner]!), await wishesIn(runs[1 - winner]!)]).toEqual([1, 0]);
    }
  });

  it('is a retry or another run, and never both', async () => {
    for (let round = 0; round < 10; round += 1) {
      const old = await aFailed();
      const headers = { 'idempotency-key': `retry-or-run-${round}` };
      const body = { appId: 'demo', policy: 'default', input: { text: 'another' } };
      const [retry, run] = await Promise.all([
        world.ask('POST', `/agents/runs/${old.runId}/retry`, { headers }),
        world.ask('POST', '/agents/runs', { headers, body }),
      ]);
      expect(statusesOf([retry, run])).toEqual(ONE_WINS);
      expect(await wishesIn(old)).toBe(retry.status === 201 ? 1 : 0);
    }
  });

  it('is of the person who used it', async () => {
    const { runId } = await aFailed();
    const headers = { 'idempotency-key': 'of-ada' };
    const [first, again, bobs] = [
      await world.ask('POST', `/agents/runs/${runId}/retry`, { headers }),
      await world.ask('POST', `/agents/runs/${runId}/retry`, { headers }),
      await world.ask('POST', `/agents/runs/${runId}/retry`, { headers, token: await world.token({ sub: 'bob' }) }),
    ];
    expect([first.status, again.body]).toEqual([201, first.body]);
    expect([bobs.status, bobs.body['code']]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });
});

describe('A run that is to be retried on failure', () => {
  it('is, with one retry less', async () => {
    const old = await aFailed({ retryOnFailure: { maxRetries: 1 } });
    const asked = await seen(old, 'RetryRequested');
    expect(asked).toMatchObject({ automatic: true, by: 'ada' });
    const next = refOf('retryRunId' in asked ? asked.retryRunId : undefined);
    await seen(next, 'RunRequested');
    expect(await get(`/agents/runs/${next.runId}`)).toMatchObject({
      ...{ retryOf: old.runId, retryOnFailure: { maxRetries: 0 } },
    });
  });

  it('runs again when a person asks for it after Done', async () => {
    const old = await aFailed();
    await post(`/agents/runs/${old.runId}/done`);
    const { status, body } = await post(`/agents/runs/${old.runId}/retry`);
    expect(status).toBe(201);
    const improver = refOf(body['improvementRunId']);
    await world.others.handle(startRun(improver));
    await world.others.handle(finishRun({ ...improver, output: { text: 'ask for less' } }));
    await seen(refOf(body['runId']), 'ImprovementProvided'); // what follows from the wish has followed
    expect(await world.kinds(refOf(body['runId']))).toEqual(['RunRequested', 'ImprovementProvided']);
  });

  it('is done when somebody is content with the one that failed', async () => {
    const old = await aFailed({ retryOnFailure: { maxRetries: 3 } });
    const asked = await seen(old, 'RetryRequested');
    const next = refOf('retryRunId' in asked ? asked.retryRunId : undefined);
    expect((await post(`/agents/runs/${old.runId}/done`, { note: 'good enough' })).body).toEqual({ status: 'FAILED' });
    await post(`/agents/runs/${old.runId}/done`, { note: 'again' });
    expect((await world.kinds(old)).filter((kind) => kind === 'GoalAchieved')).toHaveLength(1);
    expect(await seen(next, 'GoalAchieved')).toMatchObject({ by: 'ada' });
  });

  it.each([{ maxRetries: 21 }, { maxRetries: -1 }, {}, 3])('is refused when it says %j', async (retryOnFailure) => {
    const { status, body } = await post('/agents/runs', { appId: 'demo', policy: 'default', retryOnFailure });
    expect([status, body['code']]).toEqual([400, 'VALIDATION_FAILED']);
    expect(JSON.stringify(body['errors'])).toContain('retryOnFailure');
  });
});

describe('What is told to improve a run', () => {
  it('is short, names the errors, and is for its tenant only', async () => {
    const ref = await aFailed({ input: { text: 'x'.repeat(200_000) } });
    const told = RunImprovement.parse(await get(`/agents/runs/${ref.runId}/improvement`));
    expect(told).toMatchObject({
      runId: ref.runId,
      status: 'FAILED',
      recentErrors: [{ code: 'MAX_RETRIES_EXCEEDED' }],
    });
    expect(JSON.stringify(told).length).toBeLessThan(2_000);
    const token = await world.token({ tenant_id: world.bob });
    const foreign = await world.ask('GET', `/agents/runs/${ref.runId}/improvement`, { token });
    expect([foreign.status, foreign.body['code']]).toEqual([404, 'RUN_NOT_FOUND']);
  });
});
