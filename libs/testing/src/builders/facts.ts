import { FACT_FIXTURES, type RunEventKind, type RunFactOf } from '@millrace/contracts';

/** A believable fact of the kind, with what the test is about put in its place. */
const fact =
  <K extends RunEventKind>(kind: K) =>
  (overrides: Partial<Omit<RunFactOf<K>, 'kind'>> = {}): RunFactOf<K> => ({ ...FACT_FIXTURES[kind], ...overrides });

export const runRequested = fact('RunRequested');
export const runQueued = fact('RunQueued');
export const runStarted = fact('RunStarted');
export const runPaused = fact('RunPaused');
export const runResumed = fact('RunResumed');
export const runCancelRequested = fact('RunCancelRequested');
export const graphEnded = fact('GraphEnded');
export const followUpDue = fact('FollowUpDue');
export const runFinished = fact('RunFinished');
export const runFailed = fact('RunFailed');
export const runCanceled = fact('RunCanceled');
export const policySwitched = fact('PolicySwitched');
export const checkpointSaved = fact('CheckpointSaved');
export const goalAchieved = fact('GoalAchieved');
export const retryRequested = fact('RetryRequested');
export const improvementProvided = fact('ImprovementProvided');

export const nodeScheduled = fact('NodeScheduled');
export const nodeStarted = fact('NodeStarted');
export const nodeFinished = fact('NodeFinished');
export const nodeRetryScheduled = fact('NodeRetryScheduled');
export const nodeSuspended = fact('NodeSuspended');
export const effectRecorded = fact('EffectRecorded');
export const agentChanged = fact('AgentChanged');

export const tokenDelta = fact('TokenDelta');
export const thoughtDelta = fact('ThoughtDelta');
export const modelRequested = fact('ModelRequested');
export const modelResponded = fact('ModelResponded');
export const toolRequested = fact('ToolRequested');
export const toolProgressed = fact('ToolProgressed');
export const toolFinished = fact('ToolFinished');
export const inputRequested = fact('InputRequested');
export const inputProvided = fact('InputProvided');
export const inputExpired = fact('InputExpired');
export const messageAdded = fact('MessageAdded');
export const subagentProgressed = fact('SubagentProgressed');
export const subagentFailed = fact('SubagentFailed');
export const subagentFinished = fact('SubagentFinished');
export const specialistFinished = fact('SpecialistFinished');
export const graphEdited = fact('GraphEdited');
export const logWritten = fact('LogWritten');
export const progressReported = fact('ProgressReported');
