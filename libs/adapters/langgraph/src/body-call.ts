import type { NodeRun } from '@millrace/ports';
import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { NodeAgent } from './node-runner.js';
import type { NodeBody } from './node-body.js';
import type { FoundNode } from './node-lookup.js';
import type { NodeState } from './node-state.js';

/** One attempt at a body: everything that is the same whether LangGraph runs it or we call it. */
export interface BodyCall {
  readonly agent: NodeAgent;
  readonly run: NodeRun;
  readonly found: FoundNode;
  readonly body: NodeBody;
  readonly state: NodeState;
  readonly options: BodyOptions;
}

/** What a graph around the body is called with. */
export interface BodyOptions {
  readonly durability: 'async';
  readonly recursionLimit: number;
  readonly signal: AbortSignal;
  readonly callbacks: BaseCallbackHandler[];
  readonly writer: NonNullable<LangGraphRunnableConfig['writer']>;
  readonly configurable: Record<string, unknown> & { readonly thread_id: string };
}
