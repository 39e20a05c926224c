import type { z } from 'zod';
import type { ContractNode } from './contract-node.js';
import { problemsOf } from './definition-invalid.js';
import { GuardedContext } from './guarded-context.js';
import { nodeContext, runWithContext, type NodeContext } from './node-context.js';
import { NodeContractBroken } from './suspension.js';

/**
 * Runs the node and holds it to its contract. What it is given and what it gives are what the schemas make of them:
 * fields they do not name are left out, defaults are filled in.
 */
export const runContractNode = async <Input, Output>(
  node: ContractNode<Input, Output>,
  input: unknown,
  context: NodeContext,
): Promise<Output> => {
  const taken = (await parse(node, 'input', node.inputSchema, input)) as Input; // defineNode tied the two together
  const guarded = new GuardedContext(node, context);
  const given = await runWithContext(guarded, () => node.run(taken, guarded));
  return parse(node, 'output', node.outputSchema, given);
};

/** The node as a body for `StateGraph.addNode`: it takes from the state what its input schema names. */
export const asGraphNode =
  <Input, Output>(node: ContractNode<Input, Output>) =>
  (state: Input): Promise<Output> =>
    runContractNode(node, state, nodeContext());

const parse = async <T>(
  node: ContractNode,
  where: 'input' | 'output',
  schema: z.ZodType<T>,
  value: unknown,
): Promise<T> => {
  const parsed = await schema.safeParseAsync(value);
  if (parsed.success) return parsed.data;
  const problems = problemsOf(parsed.error, where).map(({ field, problem }) => `${field}: ${problem}`);
  throw new NodeContractBroken(`Node ${node.name}: ${problems.join('; ')}`);
};
