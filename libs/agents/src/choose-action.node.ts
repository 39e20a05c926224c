import { defineNode, type ContractNode } from '@millrace/agent-sdk';
import { PlatformError } from '@millrace/kernel';
import { z } from 'zod';

/** Not retried: the model's answer is recorded, and the same answer would come back. */
export class ActionUnclear extends PlatformError {
  readonly code = 'ACTION_UNCLEAR';
  readonly redelivery = 'park';
}

const Input = z.object({ availableActions: z.array(z.string().min(1)).min(1), context: z.string() });
const Output = z.object({ selectedAction: z.string(), reasoning: z.string() });

/** Lets a model choose one of the actions, for all to read along. */
export const createChooseAction = (model: string): ContractNode<z.infer<typeof Input>, z.infer<typeof Output>> =>
  defineNode({
    name: 'ChooseAction',
    inputSchema: Input,
    outputSchema: Output,
    ports: ['llm', 'telemetry'],
    emittedEvents: ['NodeStarted', 'TokenDelta', 'NodeFinished'],
    run: async ({ availableActions, context: situation }, context) => {
      const { text } = await context.llm({
        model,
        system: `Choose one of these actions: ${availableActions.join(', ')}. Say why, and end with its name.`,
        messages: [{ role: 'user', content: situation }],
      });
      return { selectedAction: actionIn(text, availableActions), reasoning: text };
    },
  });

/** The action named last. Of two that end at the same place the longer one: `tap` is in `double tap` too. */
const actionIn = (text: string, actions: readonly string[]): string => {
  const endOf = (action: string) => {
    const at = text.lastIndexOf(action);
    return at < 0 ? at : at + action.length;
  };
  const [chosen] = actions
    .filter((action) => text.includes(action))
    .sort((one, other) => endOf(other) - endOf(one) || other.length - one.length);
  if (chosen === undefined) throw new ActionUnclear(`The model named none of ${actions.join(', ')}`);
  return chosen;
};
