import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Scenario, SCENARIOS } from '@millrace/agents';
import { type RunEvent, RunId } from '@millrace/contracts';
import { Cluster } from './cluster.for-spec.js';
import { expectSoundStory } from './sound-story.for-spec.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ orchestrator: 1, 'node-workers': 1, 'run-api': 1 });
});
afterAll(() => cluster.stop());

const play = async ({ agent, input, answers }: Scenario): Promise<RunEvent[]> => {
  const { runId } = await cluster.ask('POST', '/api/agent/run', { agent, input });
  const run = { tenantId: cluster.tenantId, runId: RunId.parse(runId) };
  const answered = new Set<string>();
  for (const { type, response } of answers) {
    const isNew = (event: RunEvent) => event.kind === 'InputRequested' && !answered.has(event.requestId);
    const asked = (await cluster.until(run, isNew)).at(-1);
    if (asked?.kind !== 'InputRequested') throw new Error(`${agent} asks nothing`);
    expect(asked.request.type).toBe(type);
    answered.add(asked.requestId);
    // What asked is gone, and what is answered is heard by somebody who knows nothing of it.
    await Promise.all(cluster.of('node-workers').map((worker) => cluster.kill(worker)));
    await cluster.spawn('node-workers');
    await cluster.ask('POST', `/api/agent/${run.runId}/input`, { requestId: asked.requestId, response });
  }
  return cluster.ended(run);
};

describe('The agents we ship, asked for and answered over HTTP, their worker killed at every question', () => {
  it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', async (_, scenario) => {
    const events = await play(scenario);
    expectSoundStory(events);
    const end = events.at(-1)!;
    expect(end.kind).toBe(scenario.ends);
    if (end.kind === 'RunFinished') expect(end.output).toMatchObject({ text: scenario.text });
    const { status } = await cluster.ask('GET', `/agents/runs/${end.runId}`);
    expect(status).toBe(scenario.ends === 'RunFinished' ? 'SUCCEEDED' : 'FAILED');
  });
});
