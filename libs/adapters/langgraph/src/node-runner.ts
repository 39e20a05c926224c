import { type AgentDefinition, nodeContext } from '@millrace/agent-sdk';
import type { NodeOutcome, NodeRun } from '@millrace/ports';
import { type CachePolicy, Command, INTERRUPT, type Interrupt, isInterrupted, NodeError } from '@langchain/langgraph';
import { EphemeralValue, LastValue } from '@langchain/langgraph/channels';
import { Channel, Pregel } from '@langchain/langgraph/pregel';
import { randomUUID } from 'node:crypto';
import { type AnyPregel, NODE_ERROR } from './langgraph-internals.js';
import { asPregelInput, NodeBody } from './node-body.js';
import { reviveError } from './node-error.js';
import { findNode, type FoundNode } from './node-lookup.js';
import { NodeState } from './node-state.js';
import { toReadable } from './readable.js';
import { TokenTap } from './token-tap.js';
import { decode } from './value-codec.js';

export interface NodeAgent {
  readonly definition: AgentDefinition;
  readonly graph: AnyPregel;
  readonly recursionLimit: number;
}

/** Runs the body of one node in a graph of its own: interrupts, timeouts and what it calls work as in LangGraph. */
export const runNodeOf = async (agent: NodeAgent, run: NodeRun): Promise<NodeOutcome> => {
  try {
    return await attempt(agent, run);
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
  const input = resume
    ? new Command({ resume: state.answersOf(resume.answers) }) // by id: a bare null or false would be no answer
    : asPregelInput(decode(task.input));

  const config = {
    streamMode: 'values' as const,
    durability: 'exit' as const,
    recursionLimit: agent.recursionLimit,
    signal: run.signal,
    callbacks: [new TokenTap((text) => run.onToken(text))],
    writer: (chunk: unknown) => run.onCustom(chunk),
    configurable: { thread_id: state.threadId, task_key: task.key, ...nodeErrorOf(run) },
  };
  const chunks = await oneNodeGraph(found, body, agent.graph, state).stream(input, config);
  const interrupts: Interrupt[] = [];
  let cached: unknown;
  for await (const chunk of chunks as AsyncIterable<unknown>) {
    if (isInterrupted(chunk)) interrupts.push(...chunk[INTERRUPT]);
    else cached = chunk;
  }

  if (interrupts.length > 0 && !body.returned) {
    const requests = interrupts.map(({ id = '', value }) => ({ id: state.requestId(id), value: toReadable(value) }));
    return { kind: 'interrupted', requests, state: state.keep() };
  }
  return { kind: 'finished', output: body.returned ? body.returned.output : cached };
};

const oneNodeGraph = ({ name, node, graph }: FoundNode, body: NodeBody, root: AnyPregel, { saver }: NodeState) => {
  const { timeout, metadata } = node;
  const alone = Channel.subscribeTo('input')
    .pipe(body)
    .pipe(Channel.writeTo(['output']));
  return new Pregel({
    nodes: { [name]: Object.assign(alone, { timeout, metadata, cachePolicy: ownKeys(node.cachePolicy) }) },
    channels: { input: new EphemeralValue<unknown>(false), output: new LastValue<unknown>() },
    inputChannels: 'input',
    outputChannels: 'output',
    streamChannels: 'output',
    checkpointer: saver,
    store: graph.store ?? root.store,
    cache: graph.cache ?? root.cache,
    config: root.config,
  });
};

/** A cache the graph also uses elsewhere holds what its channels were written; ours holds what the body gave. */
const ownKeys = (policy: CachePolicy | undefined): CachePolicy | undefined =>
  policy && { ...policy, keyFunc: (args) => `millrace:${(policy.keyFunc ?? JSON.stringify)(args)}` };

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
