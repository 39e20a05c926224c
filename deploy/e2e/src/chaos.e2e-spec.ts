import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Role, Cluster } from './cluster.for-spec.js';
import { expectNotRedone, expectSoundStory } from './sound-story.for-spec.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ orchestrator: 2, 'node-workers': 2 });
});
afterAll(() => cluster.stop());

const RUNS = 12;

describe('Runs under chaos', () => {
  it('all end once with their result, whatever is killed: workers, orchestrators, nats-server, everything', async () => {
    const input = { steps: 12, parallel: 2, tokensPerStep: 5, tokensPerSecond: 50, ledgerFile: 'chaos' };
    const runs = await Promise.all(
      Array.from({ length: RUNS }, (_, at) =>
        cluster.request('treadmill', { ...input, ...(at % 3 ? {} : { failAtStep: 3 }) }),
      ),
    );
    const ends = runs.map((run) => cluster.ended(run));
    const killOne = async (role: Role) => {
      const [victim] = cluster.of(role);
      if (victim) await cluster.kill(victim);
      await cluster.spawn(role);
    };
    await cluster.until(runs[0]!, (event) => event.kind === 'NodeFinished');
    await killOne('node-workers');
    await killOne('orchestrator');
    await cluster.server.kill('SIGKILL');
    await cluster.server.restart();
    await killOne('node-workers');
    await Promise.all([...cluster.processes].map((started) => cluster.kill(started)));
    const roles: Role[] = ['orchestrator', 'node-workers', 'node-workers'];
    await Promise.all(roles.map((role) => cluster.spawn(role)));

    for (const events of await Promise.all(ends)) {
      expectSoundStory(events);
      expect(events.at(-1)).toMatchObject({ kind: 'RunFinished', output: { steps: 12 } });
      expectNotRedone(events, cluster.ledger('chaos'));
    }
  });
});

describe('A worker that was stopped and wakes up after its task was taken over', () => {
  it('changes nothing, and says so in one line', async () => {
    const [worker, ...others] = cluster.of('node-workers');
    const run = await cluster.request('treadmill', { steps: 1, tokensPerStep: 100, tokensPerSecond: 20 });
    await cluster.until(run, (event) => event.kind === 'TokenDelta');
    for (const process of cluster.of('node-workers')) process.child.kill('SIGSTOP');
    const fresh = await cluster.spawn('node-workers');
    const taken = await cluster.until(run, (event) => event.kind === 'NodeStarted' && event.attempt === 2);
    const attemptOne = taken.filter((event) => 'attempt' in event && event.attempt === 1).length;
    for (const stopped of [worker!, ...others]) stopped.child.kill('SIGCONT');
    const events = await cluster.ended(run);
    expectSoundStory(events);
    expect(events.filter((event) => 'attempt' in event && event.attempt === 1)).toHaveLength(attemptOne);
    const said = [worker!, ...others].flatMap(({ lines }) => lines.filter((line) => line.includes(run.runId)));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('let go of attempt 1');
    expect(fresh.lines.join('\n')).not.toContain('let go');
  });
});
