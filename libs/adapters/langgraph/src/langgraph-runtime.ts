import type { AgentDefinition, AgentRegistry } from '@millrace/agent-sdk';
import {
  type GraphDriver,
  GraphRuntime,
  type GraphStart,
  type NodeOutcome,
  type NodeRetryPolicy,
  type NodeRun,
  type RunningGraph,
} from '@millrace/ports';
import type { BodyWay } from './body-way.js';
import { installCheapContext } from './cheap-context.js';
import { type CheckpointRule, geometric } from './checkpoint-pace.js';
import { type AnyPregel, asPregel, isPregel } from './langgraph-internals.js';
import { runNodeOf } from './node-runner.js';
import { retryPolicyOfNode } from './retry-policy.js';
import { RunningLangGraph } from './running-langgraph.js';
import { shadowOf } from './shadow-graph.js';

const DEFAULT_RECURSION_LIMIT = 25; // LangGraph's own

/** Throws GraphUnsupported when the graph cannot be played from a log, whatever its input. */
export const requirePlayable = ({ graph }: Pick<AgentDefinition, 'graph'>): void => void shadowOf(asPregel(graph));

/** The agents' LangGraph graphs: their control flow as shadows answered by the log, their bodies one at a time. */
export class LangGraphRuntime extends GraphRuntime {
  readonly #shadows = new WeakMap<AnyPregel, AnyPregel>();

  constructor(
    private readonly registry: AgentRegistry,
    private readonly checkpointRule: CheckpointRule = geometric,
    private readonly bodies: BodyWay = 'direct',
  ) {
    super();
  }

  start(start: GraphStart, driver: GraphDriver): RunningGraph {
    installCheapContext();
    const definition = this.registry.get(start.agent, start.agentVersion);
    const shadow = () => this.shadowFor(asPregel(definition.graph));
    const recursionLimit = recursionLimitOf(definition);
    const { checkpointRule } = this;
    return new RunningLangGraph({ definition, recursionLimit, checkpointRule, shadow }, start, driver);
  }

  async runNode(run: NodeRun): Promise<NodeOutcome> {
    const definition = this.registry.get(run.agent, run.agentVersion);
    const graph = asPregel(definition.graph);
    const recursionLimit = recursionLimitOf(definition);
    return runNodeOf({ definition, graph, recursionLimit, bodies: this.bodies }, run);
  }

  retryPolicyOf(agent: string, agentVersion: string, node: string): NodeRetryPolicy | undefined {
    const definition = this.registry.get(agent, agentVersion);
    return retryPolicyOfNode(definition, asPregel(definition.graph), node);
  }

  private shadowFor(graph: AnyPregel): AnyPregel {
    const made = this.#shadows.get(graph);
    if (made) return made;
    const shadow = shadowOf(graph);
    this.#shadows.set(graph, shadow);
    return shadow;
  }
}

const recursionLimitOf = ({ recursionLimit, graph }: AgentDefinition): number =>
  recursionLimit ?? (isPregel(graph) ? graph.config?.recursionLimit : undefined) ?? DEFAULT_RECURSION_LIMIT;
