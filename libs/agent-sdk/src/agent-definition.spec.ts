import { describe, expect, it } from '@jest/globals';
import { Annotation, START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';
import { defineAgent, defineTool, type AgentDefinition } from './agent-definition.js';
import { defineNode } from './contract-node.js';

const uncompiled = new StateGraph(Annotation.Root({ text: Annotation<string> }))
  .addNode('plan', async ({ text }) => ({ text }))
  .addNode('act', async ({ text }) => ({ text }))
  .addEdge(START, 'plan')
  .addEdge('plan', 'act');

const plan = defineNode({
  name: 'plan',
  inputSchema: z.object({ text: z.string() }),
  outputSchema: z.object({ text: z.string() }),
  ports: ['tool:search'],
  emittedEvents: [],
  run: async ({ text }, context) => ({ text: String(await context.tool('search', { query: text })) }),
});

const search = defineTool({
  description: 'Finds mills.',
  inputSchema: z.object({ query: z.string(), limit: z.int().default(3) }),
  needsApproval: ({ limit }) => limit > 10,
  run: async ({ query, limit }) => Array.from({ length: limit }, () => query.toUpperCase()),
});

const agent: AgentDefinition = {
  id: 'miller',
  version: '2',
  graph: uncompiled.compile(),
  nodes: { plan },
  tools: { search },
  retry: { plan: { maxAttempts: 5 }, 'act|inner': { isRetryable: () => false } },
  recursionLimit: 50,
};

describe('defineAgent', () => {
  it('gives back the definition of an agent that can run', () => {
    expect(defineAgent(agent)).toBe(agent);
    expect(defineAgent({ id: 'small', version: '1', graph: agent.graph })).toMatchObject({ id: 'small' });
  });

  it.each<[string, unknown, string]>([
    ['id', { id: '' }, 'Agent (no id) cannot be used: id: '],
    ['id', { id: 'x'.repeat(201) }, 'id: '],
    ['version', { version: 2 }, 'Agent miller cannot be used: version: '],
    ['graph', { graph: uncompiled }, 'graph: must be a compiled graph: new StateGraph(...).compile()'],
    ['graph', { graph: undefined }, 'graph: must be a compiled graph'],
    ['nodes.plam', { nodes: { plam: plan } }, 'nodes.plam: the graph has no such node: it has plan, act'],
    ['nodes.__start__', { nodes: { __start__: plan } }, 'the graph has no such node'],
    [
      'nodes.plan.ports.0',
      { nodes: { plan: { ...plan, ports: ['gun'] } } },
      'must be llm, input, step, telemetry or tool:',
    ],
    ['nodes.plan.ports', { tools: {} }, "nodes.plan.ports: tool:search is none of the agent's tools"],
    ['tools.search.run', { tools: { search: {} } }, 'tools.search.run: must be a function'],
    ['tools.search.inputSchema', { tools: { search: { ...search, inputSchema: {} } } }, 'must be a zod schema'],
    [
      'tools.search.needsApproval',
      { tools: { search: { ...search, needsApproval: 'yes' } } },
      'true, false or a function',
    ],
    ['retry.akt', { retry: { akt: {} } }, 'retry.akt: the graph has no such node'],
    ['retry.plan.maxAttempts', { retry: { plan: { maxAttempts: 0 } } }, 'retry.plan.maxAttempts: '],
    ['recursionLimit', { recursionLimit: 0 }, 'recursionLimit: '],
    ['toOutput', { toOutput: 'text' }, 'toOutput: must be a function'],
  ])('refuses a definition whose %s is wrong', (field, wrong, message) => {
    const define = () => defineAgent({ ...agent, ...(wrong as Partial<AgentDefinition>) });
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code: 'DEFINITION_INVALID', fields: [field] }));
  });

  it('names everything that is wrong at once', () => {
    const define = () => defineAgent({ ...agent, id: '', version: '', recursionLimit: 1.5 });
    expect(define).toThrow(expect.objectContaining({ fields: ['id', 'version', 'recursionLimit'] }));
  });

  it('refuses what is no definition at all', () => {
    expect(() => defineAgent(null as never)).toThrow('Agent (no id) cannot be used: ');
  });
});

describe('defineTool', () => {
  it("types the tool's input by its schema", async () => {
    const call = { idempotencyKey: 'k', signal: new AbortController().signal, progress: () => {}, log: () => {} };
    expect(await search.run({ query: 'mill', limit: 2 }, call)).toEqual(['MILL', 'MILL']);
    // @ts-expect-error the schema wants a limit
    const incomplete: Parameters<typeof search.run>[0] = { query: 'mill' };
    expect(incomplete).toBeDefined();
  });
});

describe('defineNode', () => {
  it.each<[string, object]>([
    ['name', { name: '' }],
    ['ports.0', { ports: ['tool:'] }],
    ['emittedEvents.0', { emittedEvents: ['TokenDeltas'] }],
    ['emittedEvents.0', { emittedEvents: ['RunFinished'] }],
    ['outputSchema', { outputSchema: { type: 'object' } }],
  ])('refuses a node whose %s is wrong', (field, wrong) => {
    expect(() => defineNode({ ...plan, inputSchema: z.object({ text: z.string() }), ...wrong })).toThrow(
      expect.objectContaining({ code: 'DEFINITION_INVALID', fields: [field] }),
    );
  });
});
