export { LangGraphRuntime, requirePlayable } from './langgraph-runtime.js';
export { geometric, type CheckpointRule } from './checkpoint-pace.js';
export { drawGraph } from './draw-graph.js';
export { asLangChainTools } from './langchain-tools.js';
export { GraphNotDeterministic, GraphUnsupported, InputRefused, NodeUnknown } from './graph-errors.js';
export { ValueNotPortable } from './value-not-portable.js';
export { decode, encode, fromJson, toJson } from './value-codec.js';
