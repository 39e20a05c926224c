import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isTerminal, type RunEvent, RunId, type RunRef } from '@millrace/contracts';
import { Cluster, type Role } from './cluster.for-spec.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ orchestrator: 1, 'node-workers': 1, 'run-api': 1 });
});
afterAll(() => cluster.stop());

const refOf = (runId: unknown): RunRef => ({ tenantId: cluster.tenantId, runId: RunId.parse(runId) });
const failing = { agent: 'chat', appId: 'e2e', policy: 'default', input: { text: '/fail' } };

const create = async (body: object): Promise<RunRef> =>
  refOf((await cluster.ask('POST', '/agents/runs', body))['runId']);
const detail = ({ runId }: RunRef) => cluster.ask('GET', `/agents/runs/${runId}`);
const until = async (run: RunRef, kind: RunEvent['kind']): Promise<RunEvent> =>
  (await cluster.until(run, (event) => event.kind === kind)).at(-1)!;
const retryOf = async (run: RunRef): Promise<RunRef> => {
  const asked = await until(run, 'RetryRequested');
  return refOf('retryRunId' in asked ? asked.retryRunId : undefined);
};
const endOf = async (run: RunRef): Promise<RunEvent> => (await cluster.until(run, isTerminal)).at(-1)!;

const killAndReplace = async (...roles: Role[]): Promise<void> => {
  await Promise.all(roles.flatMap((role) => cluster.of(role)).map((killed) => cluster.kill(killed)));
  await Promise.all(roles.map((role) => cluster.spawn(role)));
};

/** Everything the log holds of the run, which nobody writes to any more. */
const kindsOf = async (run: RunRef): Promise<string[]> => (await cluster.log.read(run)).events.map(({ kind }) => kind);
const times = (kinds: readonly string[], kind: string): number => kinds.filter((one) => one === kind).length;

describe('A run that is to be retried on failure, run-api and orchestrator killed with -9 on the way', () => {
  it('is asked for again as often as was said, each time improved once, and then stays failed', async () => {
    const first = await create({ ...failing, retryOnFailure: { maxRetries: 2 } });
    const second = await retryOf(first);
    await killAndReplace('run-api');
    await until(second, 'RunRequested');
    await killAndReplace('orchestrator');
    await until(second, 'ImprovementProvided');
    await killAndReplace('orchestrator', 'run-api');
    const third = await retryOf(second);
    await killAndReplace('run-api', 'orchestrator');
    expect(await endOf(third)).toMatchObject({ kind: 'RunFailed' });

    const chain = [first, second, third];
    const details = await Promise.all(chain.map(detail));
    expect(details.map((run) => run['retryOf'])).toEqual([undefined, first.runId, second.runId]);
    expect(details.map((run) => run['retryOnFailure'])).toEqual([2, 1, 0].map((maxRetries) => ({ maxRetries })));
    const kinds = await Promise.all(chain.map(kindsOf));
    expect(kinds.map((run) => times(run, 'RetryRequested'))).toEqual([1, 1, 0]);
    expect(kinds.map((run) => times(run, 'ImprovementProvided'))).toEqual([0, 1, 1]);
    for (const { improvedBy } of details.slice(1)) {
      const improver = await detail(refOf(improvedBy));
      expect(improver).toMatchObject({ agent: 'improver', status: 'SUCCEEDED' });
      expect(times(await kindsOf(refOf(improvedBy)), 'RunStarted')).toBe(1);
    }
    expect(await until(third, 'ImprovementProvided')).toMatchObject({
      improvement: expect.stringContaining('it was told to fail'),
    });
  });
});

describe('Done on a run that was retried', () => {
  it('ends the run in its place as achieved, also when run-api is killed as soon as it has taken it', async () => {
    const first = await create({ agent: 'chat', appId: 'e2e', policy: 'default', input: { text: 'hello' } });
    await until(first, 'NodeSuspended');
    await cluster.ask('POST', `/agents/runs/${first.runId}/cancel`);
    await endOf(first);
    const { runId } = await cluster.ask('POST', `/agents/runs/${first.runId}/retry`, { note: 'once more' });
    expect(await detail(refOf(runId))).toMatchObject({ status: 'PENDING', retryOf: first.runId });
    await until(refOf(runId), 'NodeSuspended');
    await cluster.ask('POST', `/agents/runs/${first.runId}/done`);
    await killAndReplace('run-api');
    expect(await endOf(refOf(runId))).toMatchObject({ kind: 'RunFinished' });
    const kinds = await Promise.all([first, refOf(runId)].map(kindsOf));
    expect(kinds.map((run) => times(run, 'GoalAchieved'))).toEqual([1, 1]);
  });
});

describe('A retry whose wish was stored by a run-api that died at once', () => {
  it('is carried out once by the next one', async () => {
    const old = await create(failing);
    await endOf(old);
    await Promise.all(cluster.of('run-api').map((api) => cluster.kill(api)));
    const retryRunId = RunId.parse(cluster.ids.next());
    await cluster.handler.handle({ kind: 'RequestRetry', ...old, by: 'ada', note: 'shorter', retryRunId });
    await Promise.all([cluster.spawn('run-api'), cluster.spawn('run-api')]);
    const next = refOf(retryRunId);
    await endOf(next);
    expect(times(await kindsOf(next), 'RunRequested')).toBe(1);
    expect(await until(next, 'ImprovementProvided')).toMatchObject({
      outcome: 'SUCCEEDED',
      improvement: expect.stringContaining('shorter'),
    });
    const told = await cluster.ask('GET', `/agents/runs/${next.runId}/improvement`);
    expect(told).toMatchObject({ status: 'FAILED', summary: expect.stringContaining('Advice it had: ') });
  });
});
