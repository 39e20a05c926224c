import { describe, expect, it } from '@jest/globals';
import { defineTool, NodeSuspension, runWithContext } from '@millrace/agent-sdk';
import { aRequestId } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import type { LlmRequest } from '@millrace/ports';
import { z } from 'zod';
import { fakeContext } from './fake-context.for-spec.js';
import { createFunctionLoop } from './function-loop.js';
import { runAgent } from './run-agent.for-spec.js';

class StoreAway extends PlatformError {
  readonly code = 'STORE_AWAY';
  readonly redelivery = 'retry';
}

const add = defineTool({
  description: 'Adds',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  run: async ({ a, b }) => a + b,
});
const loop = createFunctionLoop({ id: 'sums', version: '1', model: 'm', system: 'You add.', functions: { add } });
const called = (id: string, input: unknown) => ({ type: 'toolCall', id, name: 'add', input }) as const;

/** The model calls in its first turn, and says `done` in the second. */
const play = async (calls: readonly ReturnType<typeof called>[], tool: (input: unknown) => Promise<unknown>) => {
  const requests: LlmRequest[] = [];
  const context = fakeContext({
    tool: (_, input) => tool(input),
    llm: (request) => (requests.push(request), requests.length === 1 ? { toolCalls: calls } : { text: 'done' }),
  });
  const output = await runAgent(loop, { text: 'one and two' }, context);
  return { requests, output, context };
};

describe('A function loop', () => {
  it('gives the model what its calls came to, in the order it made them, until it calls no more', async () => {
    const calls = [called('1', { a: 1, b: 2 }), called('2', { a: 3, b: 4 })];
    const { requests, output, context } = await play(calls, async (input) => (input as { a: number }).a * 10);
    expect(requests[1]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'one and two' }] },
      { role: 'assistant', content: calls },
      {
        role: 'user',
        content: [
          { type: 'toolResult', id: '1', output: 10 },
          { type: 'toolResult', id: '2', output: 30 },
        ],
      },
    ]);
    expect(output).toEqual({ text: 'done' });
    expect(context.messagesAdded).toEqual(['done']);
  });

  it('offers its functions with the schemas they are called by', async () => {
    const { requests } = await play([], async () => 0);
    expect(requests[0]).toMatchObject({
      ...{ model: 'm', system: 'You add.' },
      tools: [{ name: 'add', description: 'Adds', inputSchema: { type: 'object', required: ['a', 'b'] } }],
    });
  });

  it('tells the model what went wrong in a function, and goes on', async () => {
    const { requests, output } = await play([called('1', {})], async () => {
      throw new Error('a: must be a number');
    });
    expect(requests[1]?.messages.at(-1)?.content).toEqual([
      { type: 'toolResult', id: '1', output: 'a: must be a number', isError: true },
    ]);
    expect(output).toEqual({ text: 'done' });
  });

  it.each([
    ['waits', new NodeSuspension([aRequestId])],
    ['fails for something that will pass', new StoreAway('try again')],
  ])('keeps out of the way when a function %s', async (_, error) => {
    await expect(play([called('1', {})], () => Promise.reject(error))).rejects.toThrow(error.message);
  });

  it('ends with the files its functions made, which the model is only told of', async () => {
    const file = { name: 'a.bin', mediaType: 'image/png', inlineData: { data: 'AAAA' } };
    const { requests, output } = await play([called('1', {})], async () => ({ files: [file] }));
    expect(output).toEqual({ text: 'done', files: [file] });
    expect(requests[1]?.messages.at(-1)?.content).toMatchObject([
      { output: { files: ['a.bin (image/png, 3 bytes)'] } },
    ]);
  });

  it('tells the model of a retry what to do better', async () => {
    const { graph, toState } = loop;
    const seen: (string | undefined)[] = [];
    const context = fakeContext({ llm: ({ system }) => (seen.push(system), { text: 'done' }) });
    await runWithContext(context, () => graph.invoke(toState?.({ text: 'one and two' }, undefined, 'Add slowly.')));
    expect(seen).toEqual(['You add.\n\nWhat to do better this time:\nAdd slowly.']);
  });
});
