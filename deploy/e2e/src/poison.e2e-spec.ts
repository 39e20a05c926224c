import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JetStreamDeadLetters } from '@millrace/adapter-jetstream';
import { RunId, type RunRef, subjects } from '@millrace/contracts';
import type { DeadLetter } from '@millrace/ports';
import { eventPoisons, type Poison, strangeSubject, taskPoisons, timerPoisons } from '@millrace/testing';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, type Role } from './cluster.for-spec.js';

const AGENTS = join(import.meta.dirname, '..', 'agents');
const AGENT_MODULES = [join(AGENTS, 'breakable.mjs'), join(AGENTS, 'changing.mjs')].join(',');
const SERVICES: readonly Role[] = ['orchestrator', 'node-workers', 'run-api', 'projector', 'stream-gateway'];

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start(Object.fromEntries(SERVICES.map((role) => [role, 1])), {
    ...{ AGENT_MODULES, BREAKABLE: 'whole', STREAM_COOKIE_SECURE: 'false', STANDING_AFTER_SECONDS: '1' },
    ...{ MAX_ACTIVE_RUNS: '2', MAX_ACTIVE_RUNS_PER_TENANT: '2' },
  });
});
afterAll(() => cluster.stop());

/** Those that have agents. */
const restart = (env: Record<string, string>) => cluster.restart(env, ['orchestrator', 'node-workers']);

const newRun = (): RunRef => ({ tenantId: cluster.tenantId, runId: RunId.parse(cluster.ids.next()) });

/** Past everything of ours, as only an admin can. */
const publish = ({ subject, data }: Poison) => cluster.nats.request(subject, data);

const echoes = async (): Promise<void> => {
  const run = await cluster.request('echo', { text: 'hello' });
  expect((await cluster.ended(run)).at(-1)).toMatchObject({ kind: 'RunFinished', output: { text: 'hello' } });
  await isProjected(run);
  expect(await streamed(run)).toContain('RunFinished');
};

const isProjected = async ({ runId }: RunRef): Promise<void> => {
  for (;;) {
    const { status } = await cluster.ask('GET', `/agents/runs/${runId}`);
    const [projector] = cluster.of('projector');
    const { behind } = await cluster.health(projector!);
    if (status === 'SUCCEEDED' && behind === 0) return;
    await pause(50);
  }
};

const streamed = async ({ runId }: RunRef): Promise<string> => {
  const [gateway] = cluster.of('stream-gateway');
  const headers = { authorization: `Bearer ${await cluster.token()}` };
  return (await fetch(`${gateway?.url}/agents/runs/${runId}/stream`, { headers })).text();
};

const lettersOf = async (subject: string): Promise<DeadLetter[]> =>
  (await new JetStreamDeadLetters(cluster.nats).list(1_000)).filter((letter) => letter.subject === subject);

const deadLetters = async (subject: string, ...consumers: string[]): Promise<DeadLetter[]> => {
  for (;;) {
    const letters = await lettersOf(subject);
    if (consumers.every((name) => letters.some(({ consumer }) => consumer === name))) return letters;
    await pause(50);
  }
};

const linesOf = (role: Role): Record<string, unknown>[] =>
  cluster.of(role).flatMap(({ lines }) => lines.map((line) => JSON.parse(line) as Record<string, unknown>));

const waiting = async (agent: string): Promise<RunRef> => {
  const run = await cluster.request(agent, {});
  await cluster.until(run, ({ kind }) => kind === 'NodeSuspended');
  return run;
};

const answer = async ({ tenantId, runId }: RunRef): Promise<void> => {
  const events = await cluster.until({ tenantId, runId }, ({ kind }) => kind === 'InputRequested');
  const asked = events.find((event) => event.kind === 'InputRequested');
  await cluster.handler.handle({
    ...{ kind: 'ProvideInput', tenantId, runId, requestId: asked!.requestId, response: { text: 'Ada' }, by: 'ada' },
  });
};

const hello = { kind: 'RunFinished', output: { text: 'hello Ada' } };

describe('Poison in the log', () => {
  it('is set aside by every loop that meets it, once and with a line, and the other runs run', async () => {
    const poisoned = newRun();
    const inRuns = (['RunRequested', 'RunStarted', 'GraphEnded', 'FollowUpDue', 'RunFinished'] as const).flatMap(
      (kind) => eventPoisons(newRun(), kind),
    );
    for (const poison of [...inRuns, strangeSubject(newRun()), ...taskPoisons(poisoned), ...timerPoisons(poisoned)]) {
      await publish(poison);
    }
    await echoes();
    const met: Record<string, string[]> = {
      RunRequested: ['dispatcher', 'projector'],
      RunStarted: ['dispatcher', 'projector', 'orchestrator'],
      GraphEnded: ['projector', 'orchestrator'],
      FollowUpDue: ['projector', 'run-api-retries'],
      RunFinished: ['dispatcher', 'projector'],
    };
    for (const { subject } of inRuns) {
      const consumers = met[subject.split('.').at(-1)!]!;
      for (const letter of await deadLetters(subject, ...consumers)) expect(letter.reason).not.toBe('');
    }
    await deadLetters(subjects.runTask(poisoned), 'node-workers');
    for (const { subject } of timerPoisons(poisoned)) await deadLetters(subject, 'orchestrator-timers');
    for (const role of ['orchestrator', 'projector', 'run-api', 'node-workers'] as const) {
      const told = linesOf(role).filter((line) => 'loop' in line);
      const keys = told.map(({ loop, place, subject }) => `${String(loop)} ${String(place)} ${String(subject)}`);
      expect(told.length).toBeGreaterThan(0);
      expect(new Set(keys).size).toBe(keys.length);
      for (const line of told)
        expect(line).toMatchObject({ level: 'error', msg: expect.stringContaining('set aside') });
    }
    await echoes();
  });

  it('in a run that waits or moves stops that run alone', async () => {
    const asking = await waiting('greeter');
    await publish(eventPoisons(asking, 'LogWritten')[0]!);
    await publish(eventPoisons(asking, 'InputProvided')[0]!);
    await deadLetters(subjects.event({ ...asking, kind: 'InputProvided' }), 'orchestrator');
    expect(await streamed(asking)).not.toContain('RunFinished');
    await deadLetters(subjects.run(asking), 'run-streams');
    await echoes();
  });
});

describe('An agent', () => {
  it('whose module does not load is left out, its runs wait, and the others run', async () => {
    const [inFlight, other] = [await waiting('greeter'), await waiting('patient')];
    await restart({ BREAKABLE: 'broken' });
    const problem = expect.stringMatching(
      /breakable\.mjs cannot be used: .*cannot be loaded today.* at .*breakable\.mjs:\d+$/,
    );
    const [worker] = cluster.of('node-workers');
    expect(await cluster.health(worker!)).toMatchObject({ status: 'ready', agentsNotLoaded: [problem] });
    expect(linesOf('node-workers')).toContainEqual(
      expect.objectContaining({ level: 'error', msg: expect.stringContaining('cannot be loaded today') }),
    );
    const requested = await cluster.request('greeter', {});
    await answer(inFlight);
    await answer(other);
    expect((await cluster.ended(other)).at(-1)).toMatchObject(hello);
    await echoes();
    const kinds = async (run: RunRef) => (await cluster.log.read(run)).events.map(({ kind }) => kind);
    expect(await kinds(requested)).not.toContain('RunStarted');
    expect((await kinds(inFlight)).at(-1)).toBe('InputProvided');

    await restart({ BREAKABLE: 'whole' });
    expect((await cluster.ended(inFlight)).at(-1)).toMatchObject(hello);
    await answer(requested);
    expect((await cluster.ended(requested)).at(-1)).toMatchObject(hello);
  });

  it('that is removed, renamed or not to be played stops none but its own runs, also when those hold every slot', async () => {
    const runs = [await waiting('greeter'), await waiting('greeter')];
    await restart({ BREAKABLE: 'removed' });
    for (const run of runs) await answer(run); // from now on they hold both slots there are
    await echoes();
    await restart({ BREAKABLE: 'renamed' });
    const [worker] = cluster.of('node-workers');
    const { agentsNotLoaded } = await cluster.health(worker!);
    expect(agentsNotLoaded).toEqual([expect.stringContaining('interruptBefore')]); // of the one agent, not of its module
    const [odd, renamed] = [await cluster.request('odd', {}), await waiting('welcomer')];
    await restart({ BREAKABLE: 'whole' });
    for (const run of runs) expect((await cluster.ended(run)).at(-1)).toMatchObject(hello);
    await cluster.handler.handle({ kind: 'CancelRun', ...renamed, requestedBy: 'ada' });
    expect((await cluster.ended(renamed)).at(-1)?.kind).toBe('RunCanceled'); // nobody needs its agent for that
    await answer(odd);
    expect((await cluster.ended(odd)).at(-1)).toMatchObject(hello);
  });

  it('that forgets a promise which is rejected ends no worker', async () => {
    const [worker] = cluster.of('node-workers');
    const run = await cluster.request('careless', {});
    expect((await cluster.ended(run)).at(-1)).toMatchObject(hello);
    await echoes();
    expect(cluster.of('node-workers')).toEqual([worker]);
    expect(linesOf('node-workers')).toContainEqual(
      expect.objectContaining({ level: 'error', msg: expect.stringContaining('nobody waits for this') }),
    );
  });

  it('that is missing on one worker is run by another', async () => {
    const broken = await cluster.spawn('node-workers', { BREAKABLE: 'broken' });
    const runs = await Promise.all(Array.from({ length: 6 }, () => cluster.request('greeter', {})));
    for (const run of runs) await answer(run);
    for (const run of runs) expect((await cluster.ended(run)).at(-1)).toMatchObject(hello);
    await cluster.kill(broken);
  });
});
