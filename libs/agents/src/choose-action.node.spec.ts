import { describe, expect, it } from '@jest/globals';
import { Annotation, START, StateGraph } from '@langchain/langgraph';
import { asGraphNode, runContractNode, runWithContext } from '@millrace/agent-sdk';
import { createChooseAction } from './choose-action.node.js';
import { fakeContext } from './fake-context.for-spec.js';

const chooseAction = createChooseAction('scripted');
const choosing = (llmSays: string, ...availableActions: string[]) =>
  runContractNode(chooseAction, { availableActions, context: 'a button' }, fakeContext({ llmSays }));

describe('ChooseAction', () => {
  it('shows what the model says token by token and adds its choice to the state, which stays as it was', async () => {
    const State = Annotation.Root({
      availableActions: Annotation<string[]>,
      context: Annotation<string>,
      selectedAction: Annotation<string>,
      reasoning: Annotation<string>,
    });
    const graph = new StateGraph(State).addNode('choose', asGraphNode(chooseAction)).addEdge(START, 'choose').compile();
    const state = Object.freeze({ availableActions: ['tap', 'swipe'], context: 'a button' });
    const context = fakeContext({ llmSays: 'It is a button: tap' });
    const after = await runWithContext(context, () => graph.invoke(state));
    expect(after).toEqual({ ...state, selectedAction: 'tap', reasoning: 'It is a button: tap' });
    expect(context.tokens).toEqual(['It ', 'is ', 'a ', 'button: ', 'tap']);
  });

  it('takes the action the model named last', async () => {
    expect(await choosing('Not swipe, so tap.', 'tap', 'swipe')).toMatchObject({ selectedAction: 'tap' });
    expect(await choosing('A double tap', 'tap', 'double tap')).toMatchObject({ selectedAction: 'double tap' });
  });

  it('fails for good when the model named none of them', async () => {
    await expect(choosing('Leave it.', 'tap', 'swipe')).rejects.toMatchObject({
      code: 'ACTION_UNCLEAR',
      redelivery: 'park',
      message: 'The model named none of tap, swipe',
    });
  });

  it('is refused without anything to choose from', async () => {
    await expect(choosing('tap')).rejects.toThrow('Node ChooseAction: input.availableActions: ');
  });
});
