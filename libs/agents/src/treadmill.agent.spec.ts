import { describe, expect, it } from '@jest/globals';
import { NodeSuspension } from '@millrace/agent-sdk';
import { fakeContext } from './fake-context.for-spec.js';
import { runAgent } from './run-agent.for-spec.js';
import { createTreadmill } from './treadmill.agent.js';

const treadmill = createTreadmill();

describe('treadmill', () => {
  it.each([1, 2, 60])('does %i steps, one after the other, each with one effect', async (steps) => {
    const context = fakeContext();
    expect(await runAgent(treadmill, { steps }, context)).toEqual({ steps });
    expect(context.effects).toHaveLength(steps);
    expect(context.tokens).toEqual([]);
  });

  it('does each step on as many branches as it is told to, and joins them', async () => {
    const context = fakeContext();
    expect(await runAgent(treadmill, { steps: 3, parallel: 4, tokensPerStep: 1 }, context)).toEqual({ steps: 3 });
    expect(context.effects).toHaveLength(12);
    const branches = (step: number) => [0, 1, 2, 3].map((branch) => `${step}.${branch}.1 `);
    const said = [context.tokens.slice(0, 4), context.tokens.slice(4, 8), context.tokens.slice(8)];
    expect(said.map((step) => step.toSorted())).toEqual([branches(1), branches(2), branches(3)]);
  });

  it('says the tokens of each step in order', async () => {
    const context = fakeContext();
    await runAgent(treadmill, { steps: 2, tokensPerStep: 3, tokensPerSecond: 1_000 }, context);
    expect(context.tokens).toEqual(['1.0.1 ', '1.0.2 ', '1.0.3 ', '2.0.1 ', '2.0.2 ', '2.0.3 ']);
  });

  it('ends with the answers of every branch that asked, in the order of the branches', async () => {
    const context = fakeContext({ answers: ['left', 'right'] });
    const output = await runAgent(treadmill, { steps: 2, parallel: 2, askAtStep: 2 }, context);
    expect(output).toEqual({ steps: 2, answers: ['left', 'right'] });
    expect(context.prompts).toEqual(['Step 2.0: how to go on?', 'Step 2.1: how to go on?']);
  });

  it('waits when nobody has answered', async () => {
    await expect(runAgent(treadmill, { steps: 1, askAtStep: 1 }, fakeContext())).rejects.toBeInstanceOf(NodeSuspension);
  });

  it('keeps what its last step left in the state, and nothing of the steps before', async () => {
    const context = fakeContext();
    const state = { ...treadmill, toOutput: (final: unknown) => final };
    const { payload } = (await runAgent(state, { steps: 2, bytesPerStep: 10 }, context)) as { payload: string };
    expect(payload).toBe('2.0 2.0 2.');
  });

  it.each([
    ['steps', {}],
    ['steps', { steps: 0 }],
    ['steps', { steps: 'many' }],
    ['failAtStep', { steps: 2, failAtStep: 3 }],
    ['askAtStep', { steps: 2, askAtStep: 3 }],
    ['failTimes', { steps: 2, failTimes: 1 }],
    ['tokenPerStep', { steps: 2, tokenPerStep: 1 }],
  ])('refuses an input whose %s is wrong, and names it', async (field, input) => {
    expect(JSON.stringify(treadmill.inputSchema?.safeParse(input).error?.issues)).toContain(field);
    await expect(runAgent(treadmill, input, fakeContext())).rejects.toThrow(field);
  });
});
