import { runWithContext, type AgentDefinition } from '@millrace/agent-sdk';
import type { FakeContext } from './fake-context.for-spec.js';

/** The whole agent in this process: what its run would end with. */
export const runAgent = async (agent: AgentDefinition, input: unknown, context: FakeContext): Promise<unknown> => {
  const { graph, recursionLimit, toState = (same: unknown) => same, toOutput = (same: unknown) => same } = agent;
  return toOutput(await runWithContext(context, () => graph.invoke(toState(input, undefined), { recursionLimit })));
};
