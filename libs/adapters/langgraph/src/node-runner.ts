import { type AgentDefinition, nodeContext } from '@millrace/agent-sdk';
import type { NodeOutcome, NodeRun } from '@millrace/ports';
import { Command, NodeError } from '@langchain/langgraph';
import { randomUUID } from 'node:crypto';
import type { BodyOptions } from './body-call.js';
import { type BodyWay, isOverheard, wayOf } from './body-way.js';
import { callBody } from './direct-body.js';
import { type AnyPregel, NODE_ERROR, outsideOfRunnables } from './langgraph-internals.js';
import { asPregelInput, NodeBody } from './node-body.js';
import { reviveError } from './node-error.js';
import { findNode } from './node-lookup.js';
import { NodeState } from './node-state.js';
import { runInPregel } from './pregel-body.js';
import { TokenTap } from './token-tap.js';
import { decode } from './value-codec.js';

export interface NodeAgent {
  readonly definition: AgentDefinition;
  readonly graph: AnyPregel;
  readonly recursionLimit: number;
  /** How bodies are run that need no graph around them. */
  readonly bodies: BodyWay;
}

/** Runs the body of one node, in a graph of its own if it needs one: what it does works as in LangGraph. */
export const runNodeOf = async (agent: NodeAgent, run: NodeRun): Promise<NodeOutcome> => {
  try {
    return await outsideOfRunnables(() => attempt(agent, run)); // the run's own graph is played in this process as well
  } catch (error) {
    // The very error: whoever called tells a suspension by it.
    return { kind: 'failed', error: run.signal.aborted ? (run.signal.reason as unknown) : error };
  }
};

const attempt = async (agent: NodeAgent, run: NodeRun): Promise<NodeOutcome> => {
  const { task, resume } = run;
  const found = findNode(agent.graph, task.node);
  const state = resume ? NodeState.from(resume.state) : NodeState.fresh(threadId());
  const body = new NodeBody(found.node.bound, agent.definition.nodes?.[task.node]);
  const options = optionsOf(agent, run, state);
  const call = { agent, run, found, body, state, options };
  if (resume) {
    const answers = state.answersOf(resume.answers); // by id: a bare null or false would be no answer
    return runInPregel(call, body, new Command({ resume: answers }));
  }
  const input = decode(task.input);
  const isDirect =
    agent.bodies === 'direct' && wayOf(agent.graph, task.node, found) === 'direct' && !isOverheard(options.callbacks);
  return isDirect ? callBody(call, input ?? null) : runInPregel(call, body, asPregelInput(input));
};

const optionsOf = ({ recursionLimit }: NodeAgent, run: NodeRun, { threadId }: NodeState): BodyOptions => ({
  durability: 'async', // under 'exit' a graph the body calls forgets the answers it had once it is done
  recursionLimit,
  signal: run.signal,
  callbacks: [new TokenTap((text) => run.onToken(text))],
  writer: (chunk: unknown) => run.onCustom(chunk),
  configurable: { thread_id: threadId, task_key: run.task.key, ...nodeErrorOf(run) },
});

const nodeErrorOf = ({ task: { nodeError } }: NodeRun): Record<string, unknown> =>
  nodeError ? { [NODE_ERROR]: new NodeError(nodeError.node, reviveError(nodeError.error)) } : {};

/** What a body may take for the name of its run. Never one that two runs share: it may keep data under it. */
const threadId = (): string => {
  try {
    return nodeContext().runId;
  } catch {
    return randomUUID(); // run without a context, as in a test of the graph alone
  }
};
