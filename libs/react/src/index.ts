export { MillraceProvider, useMillrace, type MillraceProviderProps } from './millrace-provider.js';
export { useRunStream, type RunStream } from './use-run-stream.js';
export type { FollowOptions, RunSnapshot } from './run-follower.js';
export { useCoalescedTokens } from './use-coalesced-tokens.js';
export { useRun, type RunState } from './use-run.js';
export { useRuns, type RunList } from './use-runs.js';
export { usePendingInputs, type PendingInputs } from './use-pending-inputs.js';
export type { InputRequested } from './open-inputs.js';
