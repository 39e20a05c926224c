export { isShown, type Dialect, type Frame } from './frame.js';
export { nativeDialect } from './native.dialect.js';
export { agentDialect, agentEvents } from './agent.dialect.js';
export { threadDialect } from './thread.dialect.js';
export { DIALECTS, type DialectName } from './dialects.js';
export { mergedDelta, mergeDeltas } from './delta-merge.js';
export { encodeClosing, encodeFrames, encodeHeartbeat, encodeRetry, encodeStored } from './sse.js';
