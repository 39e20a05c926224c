import { describe, expect, it } from '@jest/globals';
import type { RunEventKind } from '@millrace/contracts';
import { z } from 'zod';
import { defineNode, type NodePort } from './contract-node.js';
import { fakeNodeContext, type FakeNodeContext } from './fake-node-context.for-spec.js';
import type { NodeContext } from './node-context.js';
import { runContractNode } from './run-contract-node.js';

type Act = (context: NodeContext) => unknown;
const aRequest = { model: 'scripted', messages: [] };

const ports: [NodePort, Act][] = [
  ['llm', (context) => context.llm(aRequest)],
  ['step', (context) => context.step('now', () => 1)],
  ['input', (context) => context.suspend({ type: 'waitForInput' })],
  ['tool:search', (context) => context.tool('search', {})],
];

const kinds: [RunEventKind, Act][] = [
  ['TokenDelta', (context) => context.emit({ kind: 'TokenDelta', text: 'a' })],
  ['ThoughtDelta', (context) => context.emit({ kind: 'ThoughtDelta', text: 'a' })],
  ['GraphEdited', (context) => context.emit({ kind: 'GraphEdited', edits: [1] })],
  ['LogWritten', (context) => context.log('info', 'a')],
  ['ProgressReported', (context) => context.progress('a')],
  ['MessageAdded', (context) => context.message('a')],
  ['SubagentProgressed', (context) => context.subagent('s1', 't1').progress({})],
  ['SubagentFailed', (context) => context.subagent('s1', 't1').fail('a')],
  ['SubagentFinished', (context) => context.subagent('s1', 't1').finish()],
  ['PolicySwitched', (context) => context.switchPolicy('careful', 'a')],
  ['AgentChanged', (context) => context.changeAgent('critic')],
];

const anAnsweredContext = () => fakeNodeContext({ llmSays: 'yes', answers: [{ text: 'yes' }] });

describe('A node with a contract', () => {
  it.each(ports)('is refused the port %s when it has not declared it, and nothing happens', async (port, act) => {
    const context = anAnsweredContext();
    await expect(run(act, context, { ports: ['tool:other'] })).rejects.toMatchObject({
      code: 'NODE_CONTRACT_BROKEN',
      message: `Node a: ports: it used ${port}, and declares tool:other`,
    });
    expect(context.said).toEqual([]);
  });

  it.each(ports)('may use the port %s when it has declared it', async (port, act) => {
    const context = anAnsweredContext();
    await run(act, context, { ports: [port] });
    expect(context.said).not.toEqual([]);
  });

  it.each(kinds)('is refused to say %s when it has not declared it, and nothing is said', async (kind, act) => {
    const context = anAnsweredContext();
    await expect(run(act, context, { emittedEvents: ['SpecialistFinished'] })).rejects.toMatchObject({
      code: 'NODE_CONTRACT_BROKEN',
      message: `Node a: emittedEvents: it emitted ${kind}, and declares SpecialistFinished`,
    });
    expect(context.said).toEqual([]);
  });

  it.each(kinds)('may say %s when it has declared it', async (kind, act) => {
    const context = anAnsweredContext();
    await run(act, context, { emittedEvents: [kind] });
    expect(context.said).toEqual([expect.objectContaining({ kind })]);
  });

  it('need not declare what its model says, nor say it through the model', async () => {
    const context = anAnsweredContext();
    const act: Act = async (guarded) => {
      await guarded.llm(aRequest, { shown: false });
      guarded.emit({ kind: 'TokenDelta', text: 'filtered' });
    };
    await run(act, context, { ports: ['llm'] });
    expect(context.said).toEqual([
      { kind: 'ModelRequested', model: 'scripted' },
      { kind: 'TokenDelta', text: 'filtered' },
    ]);
  });

  it('reads who it is and what was said before without declaring anything', async () => {
    const context = anAnsweredContext();
    let seen: unknown;
    await run(async (guarded) => {
      const { runId, tenantId, taskKey, agentId, node, iteration, attempt, signal } = guarded;
      const messages = [await guarded.messages(), await guarded.lastMessages(3), await guarded.partnerMessage()];
      seen = { runId, tenantId, taskKey, agentId, node, iteration, attempt, signal, messages };
    }, context);
    const { runId, tenantId, taskKey, agentId, node, iteration, attempt, signal } = context;
    const messages = [[], [], await context.partnerMessage()];
    expect(seen).toEqual({ runId, tenantId, taskKey, agentId, node, iteration, attempt, signal, messages });
  });

  it('is given an answer of the type its request asks for', async () => {
    const context = fakeNodeContext({ answers: [{ choice: 'b' }] });
    let chosen = '';
    await run(
      async (guarded) => {
        const request = { type: 'waitForChoice' as const, choices: [{ id: 'a' }, { id: 'b' }] };
        chosen = (await guarded.suspend(request)).choice;
        // @ts-expect-error a choice needs choices
        const incomplete: Parameters<NodeContext['suspend']>[0] = { type: 'waitForChoice' };
        // @ts-expect-error nobody answers such a request
        const unknown: Parameters<NodeContext['suspend']>[0] = { type: 'waitForWeather' };
        expect([incomplete, unknown]).toHaveLength(2);
      },
      context,
      { ports: ['input'] },
    );
    expect(chosen).toBe('b');
  });
});

const run = (
  act: Act,
  context: FakeNodeContext,
  declared: { ports?: NodePort[]; emittedEvents?: RunEventKind[] } = {},
): Promise<unknown> => {
  const node = defineNode({
    name: 'a',
    inputSchema: z.object({}),
    outputSchema: z.object({}),
    ports: [],
    emittedEvents: [],
    ...declared,
    run: async (_, guarded) => {
      await act(guarded);
      return {};
    },
  });
  return runContractNode(node, {}, context);
};
