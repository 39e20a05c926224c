export {
  defineAgent,
  defineTool,
  type AgentDefinition,
  type CompiledGraph,
  type ToolCall,
  type ToolDefinition,
} from './agent-definition.js';
export { AgentRegistry, AgentUnknown, type AgentsLeftOut } from './agent-registry.js';
export { describeAgent } from './describe-agent.js';
export { AgentModuleInvalid, loadAgents, type LoadOptions } from './load-agents.js';
export { defineNode, type ContractNode, type NodePort } from './contract-node.js';
export { DefinitionInvalid, type DefinitionProblem } from './definition-invalid.js';
export { asGraphNode, runContractNode } from './run-contract-node.js';
export {
  callAround,
  nodeContext,
  runWithContext,
  runWithinCall,
  type Emitted,
  type LlmAnswer,
  type LlmOptions,
  type NodeContext,
  type RunMessage,
  type Subagent,
  type SuspendOptions,
} from './node-context.js';
export { InputExpired, NodeContractBroken, NodeSuspension, ToolRejected } from './suspension.js';
