import { tool, type StructuredToolInterface } from '@langchain/core/tools';
import { type AgentDefinition, nodeContext, NodeSuspension, type ToolDefinition } from '@millrace/agent-sdk';
import { z } from 'zod';
import { ToolSuspended } from './tool-suspended.js';

/**
 * The agent's tools for LangChain: for `ToolNode`, `createReactAgent`, `model.bindTools`. A call goes through the
 * context of the running node, so that it is recorded, and given back instead of being made again.
 */
export const asLangChainTools = (tools: AgentDefinition['tools'] = {}): StructuredToolInterface[] =>
  Object.entries(tools).map(([name, definition]) => asLangChainTool(name, definition));

const asLangChainTool = (name: string, { description, inputSchema }: ToolDefinition): StructuredToolInterface =>
  tool((input: unknown) => callTool(name, input), {
    name,
    description: description ?? name,
    schema: inputSchema ?? z.looseObject({}),
  }) as StructuredToolInterface;

const callTool = async (name: string, input: unknown): Promise<string> => {
  try {
    const output = await nodeContext().tool(name, input);
    return typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
  } catch (error) {
    throw error instanceof NodeSuspension ? new ToolSuspended(error) : error;
  }
};
