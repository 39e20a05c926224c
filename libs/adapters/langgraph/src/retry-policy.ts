import type { AgentDefinition } from '@millrace/agent-sdk';
import type { NodeRetryPolicy } from '@millrace/ports';
import type { RetryPolicy } from '@langchain/langgraph';
import type { AnyPregel } from './langgraph-internals.js';
import { findNode } from './node-lookup.js';

/** What the agent's author said of the node: beside the graph, or else in it. */
export const retryPolicyOfNode = (
  { retry }: AgentDefinition,
  root: AnyPregel,
  path: string,
): NodeRetryPolicy | undefined => {
  const { node, graph } = findNode(root, path);
  const inGraph = node.retryPolicy ?? graph.retryPolicy;
  const beside = retry?.[path];
  if (!inGraph && !beside) return undefined;
  return { ...(inGraph && translated(inGraph)), ...beside };
};

const translated = (policy: RetryPolicy): NodeRetryPolicy => {
  const { maxAttempts, initialInterval, backoffFactor, maxInterval, retryOn } = policy;
  return {
    maxAttempts,
    firstDelayMs: initialInterval,
    factor: backoffFactor,
    maxDelayMs: maxInterval,
    isRetryable: retryOn,
  };
};
