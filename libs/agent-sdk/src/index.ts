export {
  defineAgent,
  type AgentDefinition,
  type CompiledGraph,
  type ToolCall,
  type ToolDefinition,
} from './agent-definition.js';
export { AgentRegistry, AgentUnknown } from './agent-registry.js';
export type { ContractNode, NodePort } from './contract-node.js';
export {
  nodeContext,
  runWithContext,
  type Emitted,
  type LlmAnswer,
  type LlmOptions,
  type NodeContext,
  type RunMessage,
  type Subagent,
  type SuspendOptions,
} from './node-context.js';
export { InputExpired, NodeContractBroken, NodeSuspension, ToolRejected } from './suspension.js';
