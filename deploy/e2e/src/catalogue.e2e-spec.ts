import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentDetail, AgentsPage, RunId } from '@millrace/contracts';
import { join } from 'node:path';
import { Cluster } from './cluster.for-spec.js';

const AGENT_MODULES = join(import.meta.dirname, '..', 'agents', 'documented.mjs');
const TOPIC = { topic: 'animals' };
const order = { appId: 'e2e', policy: 'default' };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ orchestrator: 1, 'node-workers': 1, 'run-api': 1 });
});
afterAll(() => cluster.stop());

const send = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${cluster.of('run-api')[0]!.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${await cluster.token()}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const get = (path: string) => send('GET', path);
const create = async (agent: string, input: unknown) => send('POST', '/agents/runs', { ...order, agent, input });
const runIn = ({ body }: Awaited<ReturnType<typeof create>>) => ({
  tenantId: cluster.tenantId,
  runId: RunId.parse(body['runId']),
});
const stopWorkers = async (): Promise<void> => {
  await Promise.all(cluster.of('node-workers').map(({ child }) => child.stop('SIGTERM', 30_000)));
};

describe('The catalogue of agents', () => {
  it('has the agents of the worker, each with its schema and graph', async () => {
    const { agents } = AgentsPage.parse((await get('/agents/catalogue')).body);
    const shipped = ['chat', 'consent', 'echo', 'explorer', 'graph-editor', 'improver', 'treadmill'];
    expect(agents.map(({ id, served }) => [id, served])).toEqual(shipped.map((id) => [id, true]));
    for (const { id } of agents) {
      const detail = AgentDetail.parse((await get(`/agents/catalogue/${id}`)).body);
      expect([detail.description, detail.inputSchema, detail.omitted]).toEqual([
        ...[expect.any(String), expect.any(Object), undefined],
      ]);
      expect(detail.graph.nodes.length).toBeGreaterThan(2);
      expect((await get(`/agents/catalogue/${id}/versions/${detail.version}`)).body).toEqual(
        JSON.parse(JSON.stringify(detail)),
      );
    }
  });

  it('refuses an agent nobody announced, and an input its schema refuses, before anything is stored', async () => {
    const unknown = await create('nobody', {});
    expect(unknown).toMatchObject({
      ...{ status: 404, body: { code: 'AGENT_NOT_FOUND', detail: expect.stringContaining('echo') } },
    });
    const refused = await create('treadmill', { steps: 'many', stepz: 2 });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ code: 'INPUT_INVALID' });
    expect((refused.body['errors'] as { field: string }[]).map(({ field }) => field)).toEqual([
      ...['input.steps', 'input.stepz'],
    ]);
    const { subjects } = await subjectsOf('RUNS');
    expect(subjects).toEqual({});
  });
});

describe('A run', () => {
  it('of a known agent whose worker is away waits for it, and runs when one comes', async () => {
    await stopWorkers();
    const made = await create('echo', { text: 'late' });
    expect(made.status).toBe(201);
    const run = runIn(made);
    const waiting = await cluster.until(run, ({ kind }) => kind === 'RunQueued');
    expect(waiting.at(-1)).toMatchObject({ waitingFor: 'worker' });
    expect((await get('/agents/catalogue/echo')).body).toMatchObject({ served: false });
    await cluster.spawn('node-workers');
    expect((await cluster.ended(run)).at(-1)).toMatchObject({ kind: 'RunFinished', output: { text: 'late' } });
  });

  it('of an agent that is announced later is refused before and runs after, with no other process started anew', async () => {
    expect((await create('map-reduce', TOPIC)).status).toBe(404);
    const worker = await cluster.spawn('node-workers', { AGENT_MODULES });
    await cluster.ready(worker);
    expect((await get('/agents/catalogue/map-reduce')).body).toMatchObject({ id: 'map-reduce', served: true });
    const made = await create('map-reduce', TOPIC);
    expect(made.status).toBe(201);
    expect((await cluster.ended(runIn(made))).at(-1)?.kind).toBe('RunFinished');
  });

  it('of an agent that only one of the workers has is moved by that one', async () => {
    expect(cluster.of('node-workers')).toHaveLength(2);
    const runs = await Promise.all(Array.from({ length: 8 }, () => create('map-reduce', TOPIC)));
    for (const run of runs) expect((await cluster.ended(runIn(run))).at(-1)?.kind).toBe('RunFinished');
  });

  it('that waits for a worker does not wait in vain when everything was killed meanwhile', async () => {
    await stopWorkers();
    const run = runIn(await create('echo', { text: 'kept' }));
    await cluster.until(run, ({ kind }) => kind === 'RunQueued');
    await cluster.killEverything();
    expect((await get('/agents/catalogue/echo')).body).toMatchObject({ served: false });
    await cluster.spawn('node-workers');
    expect((await cluster.ended(run)).at(-1)).toMatchObject({ kind: 'RunFinished', output: { text: 'kept' } });
  });
});

const subjectsOf = async (stream: string): Promise<{ subjects: Record<string, number> }> => {
  const answer = await cluster.nats.request(`$JS.API.STREAM.INFO.${stream}`, JSON.stringify({ subjects_filter: '>' }));
  const { state } = answer.json<{ state: { subjects?: Record<string, number> } }>();
  return { subjects: state.subjects ?? {} };
};
