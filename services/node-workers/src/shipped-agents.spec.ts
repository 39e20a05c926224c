import { describe, expect, it } from '@jest/globals';
import { type Scenario, SCENARIOS } from '@millrace/agents';
import type { InputRequestType, RunEvent } from '@millrace/contracts';
import { AgentWorld } from './agent-world.for-spec.js';

const told = async ({ agent, input, answers }: Scenario): Promise<RunEvent[]> => {
  const world = new AgentWorld();
  const run = await world.start(agent, input);
  await world.work(run);
  for (const { type, response } of answers) {
    await world.answer(run, ({ request }) => {
      expect(request.type).toBe(type);
      return response;
    });
    await world.work(run);
  }
  expect(await world.hasEnded(run)).toBe(true);
  return world.events(run);
};

const is =
  (...kinds: RunEvent['kind'][]) =>
  (event: RunEvent): boolean =>
    kinds.includes(event.kind);
const asks = (type: InputRequestType) => (event: RunEvent) =>
  event.kind === 'InputRequested' && event.request.type === type;

/** The event types of the agent dialect, each with what is told in its words. */
const AGENT_DIALECT: Readonly<Record<string, (event: RunEvent) => boolean>> = {
  start: is('RunStarted'),
  thought: is('ThoughtDelta'),
  functionCall: is('ToolRequested'),
  functionCallUpdate: is('ToolProgressed'),
  functionResult: is('ToolFinished'),
  subagentAddJson: is('SubagentProgressed'),
  subagentError: is('SubagentFailed'),
  subagentFinish: is('SubagentFinished'),
  content: is('TokenDelta', 'MessageAdded'),
  turnComplete: is('NodeFinished'),
  sendRequest: is('ModelRequested'),
  waitForInput: asks('waitForInput'),
  waitForChoice: asks('waitForChoice'),
  readGraph: asks('readGraph'),
  inspectNode: asks('inspectNode'),
  applyEdits: asks('applyEdits'),
  queryConsent: asks('queryConsent'),
  graphEdit: is('GraphEdited'),
  complete: is('RunFinished'),
  error: is('RunFailed', 'RunCanceled'),
  finish: is('RunFinished', 'RunFailed', 'RunCanceled'),
};

describe('The agents we ship', () => {
  it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', async (_, scenario) => {
    const events = await told(scenario);
    const end = events.at(-1)!;
    expect(end.kind).toBe(scenario.ends);
    if (end.kind === 'RunFinished') expect(end.output).toMatchObject({ text: scenario.text });
  });

  it('show together every type of event of the agent dialect', async () => {
    const all = (await Promise.all(SCENARIOS.map(told))).flat();
    const shown = Object.entries(AGENT_DIALECT).filter(([, tells]) => all.some(tells));
    expect(shown.map(([type]) => type)).toEqual(Object.keys(AGENT_DIALECT));
    expect(shown).toHaveLength(21);
  });
});

const scenario = (name: string): Scenario => SCENARIOS.find((one) => one.name === name)!;

describe('chat', () => {
  it('describes to its model what was attached, with the request and with an answer', async () => {
    const events = await told(scenario('chat'));
    const asked = events.find(is('ToolFinished'));
    expect(asked).toMatchObject({
      output: { text: 'Ada', attached: ['note.txt (text/plain, 10 bytes):\nmill wheel'] },
    });
    const said = events.filter((event) => event.kind === 'TokenDelta').map(({ text }) => text);
    expect(said.join('')).toContain('attached 2 file(s)');
  });

  it('keeps what was said as messages, each with who said it', async () => {
    const messages = (await told(scenario('chat'))).filter((event) => event.kind === 'MessageAdded');
    expect(messages.map(({ from, role, agentId, round }) => ({ from, role, agentId, round }))).toEqual(
      [1, 3, 7].map((round) => ({ from: 'think', role: 'agent', agentId: 'chat', round })),
    );
  });
});

describe('consent', () => {
  it('makes two media beside each other, and one that cannot be made does not hold the other', async () => {
    const events = await told(scenario('consent'));
    expect(events.at(-1)).toMatchObject({
      output: { files: [{ name: 'image.svg', mediaType: 'image/svg+xml' }] },
      toolsUsed: ['generate_media'],
    });
    const nested = events.filter(is('SubagentProgressed', 'SubagentFailed', 'SubagentFinished'));
    expect(new Set(nested.map((event) => ('toolUseId' in event ? event.toolUseId : '')))).toHaveProperty('size', 2);
    for (const event of nested) expect(event).toHaveProperty('agentId', 'studio');
  });

  it('makes nothing without consent', async () => {
    const events = await told(scenario('consent that is refused'));
    expect(events.some(is('SubagentProgressed'))).toBe(false);
    expect(events.find(is('ToolFinished'))).toMatchObject({ ok: false });
  });
});
