import { describe, expect, it } from '@jest/globals';
import { aRequestId } from '@millrace/contracts';
import { Annotation, START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';
import { defineNode } from './contract-node.js';
import { fakeNodeContext } from './fake-node-context.for-spec.js';
import { nodeContext, runWithContext } from './node-context.js';
import { asGraphNode, runContractNode } from './run-contract-node.js';
import { NodeSuspension } from './suspension.js';

const chooseAction = defineNode({
  name: 'ChooseAction',
  inputSchema: z.object({ availableActions: z.array(z.string()), context: z.string() }),
  outputSchema: z.object({ selectedAction: z.string(), reasoning: z.string() }),
  ports: ['llm', 'telemetry'],
  emittedEvents: ['NodeStarted', 'TokenDelta', 'NodeFinished'],
  run: async ({ availableActions, context: situation }, context) => {
    const { text } = await context.llm({ model: 'scripted', messages: [{ role: 'user', content: situation }] });
    return { selectedAction: availableActions.find((action) => text.includes(action)) ?? '', reasoning: text };
  },
});
const aChoice = { availableActions: ['tap', 'swipe'], context: 'a button' };

describe('runContractNode', () => {
  it('gives the node its input and gives back its output', async () => {
    const context = fakeNodeContext({ llmSays: 'I would tap it' });
    const output = await runContractNode(chooseAction, aChoice, context);
    expect(output).toEqual({ selectedAction: 'tap', reasoning: 'I would tap it' });
  });

  it.each([
    ['a field that is missing', { availableActions: [] }, 'input.context: '],
    ['a field of another type', { availableActions: [1], context: '' }, 'input.availableActions.0: '],
    ['something else altogether', null, 'input: '],
  ])('refuses an input with %s, and names it', async (_, input, named) => {
    await expect(runContractNode(chooseAction, input, fakeNodeContext())).rejects.toMatchObject({
      code: 'NODE_CONTRACT_BROKEN',
      redelivery: 'park',
      message: expect.stringContaining(`Node ChooseAction: ${named}`),
    });
  });

  it('does not run the node when its input is refused', async () => {
    let ran = false;
    const node = {
      ...chooseAction,
      run: async () => {
        ran = true;
        return { selectedAction: '', reasoning: '' };
      },
    };
    await expect(runContractNode(node, {}, fakeNodeContext())).rejects.toThrow('input.context');
    expect(ran).toBe(false);
  });

  it('refuses an output the schema does not take, and names the field', async () => {
    const node = { ...chooseAction, run: async () => ({ selectedAction: 'tap' }) as never };
    await expect(runContractNode(node, aChoice, fakeNodeContext())).rejects.toMatchObject({
      code: 'NODE_CONTRACT_BROKEN',
      message: expect.stringContaining('Node ChooseAction: output.reasoning: '),
    });
  });

  it('leaves out what the schemas do not name and fills in what they default', async () => {
    const node = defineNode({
      name: 'greet',
      inputSchema: z.object({ name: z.string().default('you') }),
      outputSchema: z.object({ greeting: z.string() }),
      ports: [],
      emittedEvents: [],
      run: async (input) => ({ greeting: `hello ${Object.values(input).join()}`, secret: 1 }),
    });
    expect(await runContractNode(node, { other: 'x' }, fakeNodeContext())).toEqual({ greeting: 'hello you' });
  });

  it('leaves the state it was given as it was, whatever the node does to its input', async () => {
    const node = defineNode({
      name: 'careless',
      inputSchema: z.object({ items: z.array(z.string()) }),
      outputSchema: z.object({ items: z.array(z.string()) }),
      ports: [],
      emittedEvents: [],
      run: async (input) => {
        input.items.push('more');
        return input;
      },
    });
    const state = { items: ['one'] };
    expect(await runContractNode(node, state, fakeNodeContext())).toEqual({ items: ['one', 'more'] });
    expect(state).toEqual({ items: ['one'] });
  });

  it('lets a wait and an error of the node through as they are', async () => {
    const asking = (run: () => Promise<never>) => runContractNode({ ...chooseAction, run }, aChoice, fakeNodeContext());
    const suspension = new NodeSuspension([aRequestId]);
    await expect(asking(() => Promise.reject(suspension))).rejects.toBe(suspension);
    const defect = new TypeError('defect');
    await expect(asking(() => Promise.reject(defect))).rejects.toBe(defect);
  });
});

describe('asGraphNode', () => {
  it('is the body of a node in an ordinary StateGraph', async () => {
    const State = Annotation.Root({
      availableActions: Annotation<string[]>,
      context: Annotation<string>,
      selectedAction: Annotation<string>,
      reasoning: Annotation<string>,
    });
    const context = fakeNodeContext({ llmSays: 'swipe' });
    const graph = new StateGraph(State).addNode('choose', asGraphNode(chooseAction)).addEdge(START, 'choose').compile();
    const state = await runWithContext(context, () => graph.invoke(aChoice));
    expect(state).toEqual({ ...aChoice, selectedAction: 'swipe', reasoning: 'swipe' });
  });

  it('hands the guarded context to whatever the body calls as well', async () => {
    const node = defineNode({
      name: 'quiet',
      inputSchema: z.object({}),
      outputSchema: z.object({}),
      ports: [],
      emittedEvents: [],
      run: async () => {
        nodeContext().log('info', 'not so quiet');
        return {};
      },
    });
    const context = fakeNodeContext();
    const run = runWithContext(context, () => asGraphNode(node)({}));
    await expect(run).rejects.toThrow('Node quiet: emittedEvents: it emitted LogWritten, and declares none');
    expect(context.said).toEqual([]);
  });
});
