import { type ContractNode, nodeContext, runContractNode } from '@millrace/agent-sdk';
import { Runnable } from '@langchain/core/runnables';
import { Command, isCommand, isParentCommand, type LangGraphRunnableConfig } from '@langchain/langgraph';
import { asError } from './graph-errors.js';
import { ToolSuspended } from './tool-suspended.js';
import { toJson } from './value-codec.js';

/** LangGraph takes no input for "go on", so a node that is really given none is given this. */
const NOTHING = '__millrace_nothing';
export const asPregelInput = (input: unknown): unknown => input ?? NOTHING;

/** The body of one node, and what it gave. */
export class NodeBody extends Runnable {
  lc_namespace = ['millrace'];
  /** As the log will have it. Unset when the body was interrupted, or its output was found in a cache. */
  returned: { readonly output: unknown } | undefined;

  constructor(
    private readonly bound: Runnable,
    private readonly contract: ContractNode | undefined,
  ) {
    super();
  }

  async invoke(given: unknown, config: LangGraphRunnableConfig): Promise<unknown> {
    const input = given === NOTHING ? null : given;
    const value = await this.run(input, config).catch(commandOf);
    const output = value === undefined ? undefined : toJson(value);
    this.returned = { output };
    return output;
  }

  private async run(input: unknown, config: LangGraphRunnableConfig): Promise<unknown> {
    const output: unknown = this.contract
      ? await runContractNode(this.contract, input, nodeContext())
      : await this.bound.invoke(input, config);
    return Array.isArray(output) ? output.map(addressed) : addressed(output);
  }
}

/** A graph that was called in the body may speak to the node's own graph by throwing. */
const commandOf = (error: unknown): unknown => {
  if (error instanceof ToolSuspended) throw error.suspension;
  if (isErrorLike(error) && isParentCommand(error)) return addressed(error.command);
  throw isErrorLike(error) ? error : asError(error); // LangGraph writes on what it catches
};

/** What is not for the parent is for the node's own graph, which LangGraph names by ids of this process. */
const addressed = (output: unknown): unknown => {
  if (!isCommand(output) || output.graph === undefined || output.graph === Command.PARENT) return output;
  const { update, resume, goto } = output;
  return new Command({ update, resume, goto });
};

const isErrorLike = (error: unknown): error is Error => typeof error === 'object' && error !== null;
