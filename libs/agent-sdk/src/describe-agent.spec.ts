import { describe, expect, it } from '@jest/globals';
import { AgentAnnouncement, inputChecker, MAX_ANNOUNCEMENT_BYTES, WorkerId } from '@millrace/contracts';
import { z } from 'zod';
import { type AgentDefinition, defineAgent, defineTool } from './agent-definition.js';
import { describeAgent } from './describe-agent.js';
import { takenJsonSchema } from './json-schema-of.js';

const about = {
  graph: { nodes: [{ id: 'say', name: 'say', kind: 'node' as const }], edges: [] },
  announcedBy: WorkerId.parse('01JD0000000000000000000001'),
};
const anAgent = (more: Partial<AgentDefinition> = {}): AgentDefinition =>
  defineAgent({ id: 'scribe', version: '1', graph: { nodes: { say: {} }, invoke: async () => ({}) }, ...more });

describe('An announcement', () => {
  it('says of an agent that says little what holds for all', () => {
    expect(AgentAnnouncement.parse(describeAgent(anAgent(), about))).toEqual({
      ...{ format: '1', id: 'scribe', version: '1', policies: [], speakers: ['scribe'], conversational: false },
      ...{ tools: [], ...about },
    });
  });

  it('says what it takes and gives, who speaks, and which calls a person must agree to', () => {
    const run = async () => ({});
    const agent = anAgent({
      ...{ title: 'Scribe', description: 'Writes.', policies: ['careful'], speakers: ['scribe', 'critic'] },
      ...{ conversational: true, inputSchema: z.object({ text: z.string() }), outputSchema: z.object({ n: z.int() }) },
      tools: {
        look: defineTool({ description: 'Looks', run }),
        pay: defineTool({ needsApproval: true, run }),
        move: defineTool({ inputSchema: z.object({ to: z.string() }), needsApproval: ({ to }) => to === 'x', run }),
      },
    });
    expect(AgentAnnouncement.parse(describeAgent(agent, about))).toMatchObject({
      ...{ title: 'Scribe', description: 'Writes.', policies: ['careful'], speakers: ['scribe', 'critic'] },
      ...{ conversational: true, inputSchema: { required: ['text'] }, outputSchema: { properties: { n: {} } } },
      tools: [
        { name: 'look', description: 'Looks', approval: 'never' },
        { name: 'pay', approval: 'always' },
        { name: 'move', approval: 'depends', inputSchema: { required: ['to'] } },
      ],
    });
  });

  it('leaves out what makes it too large, and says so', () => {
    const huge = z.enum(['x'.repeat(MAX_ANNOUNCEMENT_BYTES)]);
    const tools = { big: defineTool({ inputSchema: huge, run: async () => ({}) }) };
    const small = describeAgent(anAgent({ tools, inputSchema: z.object({}) }), about);
    expect(small).toMatchObject({ omitted: ['toolSchemas'], tools: [{ name: 'big' }], ...about });
    expect(small.inputSchema).toBeDefined();
    const smallest = describeAgent(anAgent({ inputSchema: huge }), about);
    expect(smallest).toMatchObject({ omitted: ['toolSchemas', 'graph', 'outputSchema', 'inputSchema'] });
    expect([smallest.inputSchema, smallest.graph]).toEqual([undefined, { nodes: [], edges: [] }]);
  });

  it('has no schema where a schema is of another library', () => {
    const strange = { safeParseAsync: async () => ({ success: true }) } as unknown as z.ZodType;
    expect(describeAgent(anAgent({ inputSchema: strange }), about)).not.toHaveProperty('inputSchema');
  });
});

describe('The JSON Schema of an input', () => {
  const check = (schema: z.ZodType) => inputChecker(takenJsonSchema(schema)!)!;
  const all = z.object({
    trimmed: z.string().trim().max(3),
    coerced: z.coerce.number(),
    caught: z.int().catch(7),
    defaulted: z.int().default(1),
    preprocessed: z.preprocess((value) => String(value), z.string()),
    address: z.url().optional(),
    when: z.date().optional(),
    refined: z.string().refine((text) => text !== 'no'),
  });
  const sound = { trimmed: ' abc ', coerced: '12', preprocessed: 1, refined: 'no' };

  it('never refuses what the schema itself takes', () => {
    const taken = { ...sound, refined: 'yes' };
    expect(all.safeParse(taken).success).toBe(true);
    for (const input of [taken, { ...taken, caught: 'x', extra: true }]) expect(check(all)(input)).toEqual([]);
    expect(check(z.coerce.number().optional())('12')).toEqual([]);
    expect(check(z.preprocess((x) => x ?? {}, z.object({})))(null)).toEqual([]);
  });

  it('refuses what no change of the value could make good', () => {
    expect(check(all)({ ...sound, trimmed: 1, refined: undefined }).map(({ field }) => field)).toEqual([
      'input.trimmed',
      'input.refined',
    ]);
    expect(check(z.strictObject({ n: z.int() }))({ n: 1, m: 2 })).toEqual([
      { field: 'input.m', message: 'is not known here: leave it out' },
    ]);
  });
});
