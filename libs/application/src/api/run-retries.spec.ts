import { describe, expect, it } from '@jest/globals';
import type { RunRef } from '@millrace/contracts';
import { achieveGoal, cancelRun, confirmCancel, startRun } from '@millrace/testing';
import { ada, bob, crashingAfter, order, refOf, RetryWorld } from './retry-world.for-spec.js';

describe('A retry', () => {
  it('is a new run that can be read at once and waits, and a run that is to improve it', async () => {
    const world = new RetryWorld();
    const old = await world.failed();
    const { runId, improvementRunId } = await world.retries.retry(ada, old.runId, 'shorter');
    expect(await world.queries.detail(refOf(runId))).toMatchObject({
      ...{ status: 'PENDING', agent: 'chat', retryOf: old.runId, improvedBy: improvementRunId, projectId: 'p' },
    });
    expect(await world.queries.detail(refOf(improvementRunId))).toMatchObject({
      ...{ status: 'PENDING', agent: 'improver', improves: runId, projectId: 'p' },
    });
    const [asked] = await world.events(refOf(improvementRunId));
    expect(asked).toMatchObject({
      input: {
        ...{ runId: old.runId, agent: 'chat', status: 'FAILED', note: 'shorter' },
        summary: expect.stringContaining('Asked chat: hello'),
        recentErrors: [{ code: 'MAX_RETRIES_EXCEEDED' }],
      },
    });
    expect((await world.events(refOf(runId)))[0]).toMatchObject({ input: order.input });
    await expect(world.others.handle(startRun(refOf(runId)))).rejects.toMatchObject({ code: 'RUN_AWAITS_IMPROVEMENT' });
  });

  it.each([
    ['what the improvement found', { text: 'ask for less' }, { outcome: 'SUCCEEDED', improvement: 'ask for less' }],
    ['as JSON when it is no text', { advice: ['less'] }, { improvement: '{"advice":["less"]}' }],
    ['bounded when it is long', { text: 'x'.repeat(50_000) }, { improvement: expect.stringMatching(/^x{9999}…$/) }],
  ])('is given %s, once', async (_, output, provided) => {
    const world = new RetryWorld();
    const old = await world.failed();
    const { runId, improvementRunId } = await world.retries.retry(ada, old.runId);
    await world.finish(refOf(improvementRunId), output);
    await world.retries.follow(refOf(improvementRunId));
    const given = (await world.events(refOf(runId))).slice(1);
    expect(given).toMatchObject([{ kind: 'ImprovementProvided', improvementRunId, ...provided }]);
    await world.others.handle(startRun(refOf(runId)));
  });

  it('goes on without an improvement when none was found', async () => {
    const world = new RetryWorld();
    const old = await world.failed();
    const { runId, improvementRunId } = await world.retries.retry(ada, old.runId);
    await world.fail(refOf(improvementRunId));
    await world.retries.follow(refOf(improvementRunId));
    const given = (await world.events(refOf(runId))).at(-1);
    expect(given).toMatchObject({ kind: 'ImprovementProvided', outcome: 'FAILED' });
    expect(given).not.toHaveProperty('improvement');
  });

  it('is one for one key, whoever repeats it and however often, and another wish under the key is refused', async () => {
    const world = new RetryWorld();
    const old = await world.failed();
    const twins = await Promise.all(
      Array.from({ length: 5 }, () => world.retries.retry(ada, old.runId, 'again', 'key')),
    );
    expect(new Set(twins.map(({ runId }) => runId)).size).toBe(1);
    expect((await world.kinds(old)).filter((kind) => kind === 'RetryRequested')).toHaveLength(1);
    await expect(world.retries.retry(ada, old.runId, 'otherwise', 'key')).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    await expect(world.retries.retry(bob, old.runId, 'again', 'key')).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    const another = await world.failed();
    await expect(world.retries.retry(ada, another.runId, 'again', 'key')).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    expect(await world.kinds(another)).not.toContain('RetryRequested');
  });

  it('runs when it was asked for after Done, and is done with the old run when it was asked for before', async () => {
    const world = new RetryWorld();
    const old = await world.failed({ maxRetries: 3 });
    const before = await world.retries.retry(ada, old.runId);
    await world.others.handle(achieveGoal(old));
    const after = await world.retries.retry(ada, old.runId);
    await world.retries.follow(old);
    expect(await world.kinds(refOf(before.runId))).toEqual(['RunRequested', 'GoalAchieved']);
    expect(await world.kinds(refOf(after.runId))).toEqual(['RunRequested']);
    expect(await world.kinds(refOf(after.improvementRunId))).toEqual(['RunRequested']);
  });

  it('leaves a run alone that took its id meanwhile', async () => {
    const world = new RetryWorld();
    const [old, victim] = [await world.failed(), await world.failed()];
    const before = await world.kinds(victim);
    const by = { by: 'ada', retryRunId: victim.runId };
    await world.others.handle({ kind: 'RequestRetry', ...old, ...by });
    await world.others.handle(achieveGoal(old));
    await world.retries.follow(old);
    expect(await world.kinds(victim)).toEqual(before);
  });

  it('is refused for a run nobody asked for, and for one that has not ended', async () => {
    const world = new RetryWorld();
    const missing = world.newRunId();
    await expect(world.retries.retry(ada, missing)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(world.retries.improvement(refOf(missing))).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    const { runId } = await world.retries.retry(ada, (await world.failed()).runId);
    await expect(world.retries.retry(ada, runId)).rejects.toMatchObject({ code: 'RUN_NOT_ENDED' });
  });

  it('is completed after a crash at any point, and makes nothing twice', async () => {
    for (let appends = 0; appends < 6; appends += 1) {
      const world = new RetryWorld();
      const old = await world.failed({ maxRetries: 1 });
      const crashing = world.retriesOn(crashingAfter(appends, world.log));
      await crashing.follow(old).catch(() => {});
      await crashing.follow(old).catch(() => {});
      const next = await world.nextOf(old);
      await world.retries.follow(old);
      expect(await world.kinds(old)).toEqual([
        ...['RunRequested', 'RunStarted', 'FollowUpDue', 'RunFailed', 'RetryRequested'],
      ]);
      expect(await world.kinds(next!)).toEqual(['RunRequested', 'ImprovementProvided']);
    }
  });
});

describe('A run that is to be retried on failure', () => {
  it('is asked for again as often as was said, each time linked and improved, and then stays failed', async () => {
    const world = new RetryWorld();
    let run: RunRef | undefined = await world.failed({ maxRetries: 2 });
    const chain: RunRef[] = [];
    for (; run; run = await world.nextOf(run)) {
      chain.push(run);
      if (chain.length > 1) await world.fail(run);
    }
    expect(chain).toHaveLength(3);
    const details = await Promise.all(chain.map((ref) => world.queries.detail(ref)));
    expect(details.map(({ retryOf }) => retryOf)).toEqual([undefined, chain[0]!.runId, chain[1]!.runId]);
    expect(details.map(({ retryOnFailure }) => retryOnFailure?.maxRetries)).toEqual([2, 1, 0]);
    expect(await world.kinds(chain[2]!)).not.toContain('RetryRequested');
  });

  it('is not, unless it was asked for', async () => {
    const world = new RetryWorld();
    const old = await world.failed();
    expect(await world.retries.follow(old)).toBe(true);
    expect(await world.kinds(old)).toEqual(['RunRequested', 'RunStarted', 'RunFailed']);
  });

  it('is not once somebody is content with it', async () => {
    const world = new RetryWorld();
    const old = await world.failed({ maxRetries: 3 });
    await world.others.handle(achieveGoal(old));
    expect(await world.nextOf(old)).toBeUndefined();
  });

  it('is stopped, all of what came of it, when the goal of the first is reached', async () => {
    const world = new RetryWorld();
    const first = await world.failed({ maxRetries: 3 });
    const second = (await world.nextOf(first))!;
    await world.fail(second);
    const third = (await world.nextOf(second))!;
    await world.others.handle(achieveGoal(first));
    for (const ref of [first, second, third]) await world.retries.follow(ref);
    expect((await world.kinds(third)).at(-1)).toBe('GoalAchieved');
    await world.fail(third);
    expect(await world.nextOf(third)).toBeUndefined();
  });

  it('is stopped by a cancel', async () => {
    const world = new RetryWorld();
    const old = await world.failed({ maxRetries: 3 });
    const next = (await world.nextOf(old))!;
    await world.others.handle(cancelRun(next));
    await world.others.handle(confirmCancel(next));
    expect(await world.nextOf(next)).toBeUndefined();
  });

  it('takes with it what was to improve it when it is canceled before', async () => {
    const world = new RetryWorld();
    const { runId, improvementRunId } = await world.retries.retry(ada, (await world.failed()).runId);
    await world.others.handle(cancelRun(refOf(runId)));
    await world.others.handle(confirmCancel(refOf(runId)));
    await world.retries.follow(refOf(runId));
    expect((await world.kinds(refOf(improvementRunId))).at(-1)).toBe('RunCancelRequested');
  });
});
