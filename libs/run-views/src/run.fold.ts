import { isInternalTool, type RunEvent, type RunEventOf } from '@millrace/contracts';
import { eventKey, sequenceOf } from './event-rows.js';
import type { DeadLetterRow, RunRow } from './rows.js';
import { bounded, moment, readable } from './storable.js';

export const requestedRun = (event: RunEventOf<'RunRequested'>): RunRow => ({
  tenantId: event.tenantId,
  runId: event.runId,
  status: 'PENDING',
  agent: event.agent,
  agentVersion: null,
  appId: event.appId,
  policy: event.policy,
  policyVersion: 1,
  userId: event.userId,
  projectId: event.projectId ?? null,
  threadId: event.threadId ?? null,
  retryOf: event.retryOf ?? null,
  improvedBy: event.improvedBy ?? null,
  improves: event.improves ?? null,
  retryOnFailure: event.retryOnFailure ?? null,
  inputSummary: bounded(readable(event.input), LONGEST_SUMMARY),
  output: null,
  summary: null,
  sources: [],
  error: null,
  cancel: null,
  stepsCompleted: 0,
  progress: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
  toolsUsed: [],
  goalAchieved: false,
  createdAt: moment(event.ts),
  startedAt: null,
  finishedAt: null,
  lastPosition: event.position,
  lastSequence: null,
});

const LONGEST_SUMMARY = 500;

export const hasEnded = ({ status }: RunRow): boolean =>
  status === 'SUCCEEDED' || status === 'FAILED' || status === 'CANCELED';

/** Work is what a run has once it is dispatched: before that, nothing a node says can be about it. */
export const hasWork = ({ startedAt }: RunRow): boolean => startedAt !== null;

export const seen = (run: RunRow, event: RunEvent): RunRow => ({
  ...run,
  lastPosition: event.position,
  lastSequence: sequenceOf(event) ?? run.lastSequence,
});

/**
 * What one more event makes of a run that is still open; the rules of its status are those of the domain. What a step
 * or a call is needed to judge is not decided here (see RunViews).
 */
export const evolveRun = (run: RunRow, event: RunEvent): RunRow => {
  switch (event.kind) {
    case 'RunQueued':
      return run.status === 'PENDING' ? { ...run, status: 'QUEUED' } : run;
    case 'RunStarted':
      return isWaiting(run) ? dispatched(run, event) : run;
    case 'RunPaused':
      return run.status === 'RUNNING' ? { ...run, status: 'PAUSED' } : run;
    case 'RunResumed':
      return run.status === 'PAUSED' ? { ...run, status: 'RUNNING' } : run;
    case 'RunCancelRequested':
      return run.status === 'CANCELED_REQUESTED' ? run : canceling(run, event);
    case 'RunFinished':
      return finished(run, event);
    case 'RunFailed': {
      const error = { reason: event.reason, errorCode: event.errorCode };
      return { ...run, status: 'FAILED', finishedAt: moment(event.ts), error };
    }
    case 'RunCanceled': {
      const by = event.canceledBy ?? run.cancel?.by ?? null;
      const reason = event.reason ?? run.cancel?.reason ?? null;
      return { ...run, status: 'CANCELED', finishedAt: moment(event.ts), cancel: { by, reason } };
    }
    case 'PolicySwitched':
      return { ...run, policy: event.toPolicy, policyVersion: run.policyVersion + 1 };
    case 'ProgressReported':
      return event.fraction === undefined ? run : { ...run, progress: event.fraction };
    case 'ModelResponded':
      return { ...run, usage: spent(run, event) };
    case 'AgentChanged':
    case 'CheckpointSaved':
    case 'EffectRecorded':
    case 'GoalAchieved':
    case 'GraphEdited':
    case 'GraphEnded':
    case 'FollowUpDue':
    case 'InputExpired':
    case 'InputProvided':
    case 'InputRequested':
    case 'LogWritten':
    case 'MessageAdded':
    case 'ModelRequested':
    case 'NodeFinished':
    case 'NodeRetryScheduled':
    case 'NodeScheduled':
    case 'NodeStarted':
    case 'NodeSuspended':
    case 'ImprovementProvided':
    case 'RetryRequested':
    case 'RunRequested':
    case 'SpecialistFinished':
    case 'SubagentFailed':
    case 'SubagentFinished':
    case 'SubagentProgressed':
    case 'ThoughtDelta':
    case 'TokenDelta':
    case 'ToolFinished':
    case 'ToolProgressed':
    case 'ToolRequested':
    default: // a kind only a newer writer knows
      return run;
  }
};

const isWaiting = ({ status }: RunRow): boolean => status === 'PENDING' || status === 'QUEUED';

/** It says again what was requested, for those who were not shown the request. */
const dispatched = (run: RunRow, { agent, agentVersion, appId, policy, ts }: RunEventOf<'RunStarted'>): RunRow => ({
  ...run,
  ...{ status: 'DISPATCHED', agent, agentVersion, appId, policy },
  startedAt: moment(ts),
});

const canceling = (run: RunRow, { requestedBy, reason }: RunEventOf<'RunCancelRequested'>): RunRow => ({
  ...run,
  status: 'CANCELED_REQUESTED',
  cancel: { by: requestedBy, reason: reason ?? null },
});

const finished = (run: RunRow, event: RunEventOf<'RunFinished'>): RunRow => ({
  ...run,
  status: 'SUCCEEDED',
  finishedAt: moment(event.ts),
  progress: 1,
  output: event.output ?? null,
  summary: event.summary,
  sources: event.sources,
  stepsCompleted: event.stepsCompleted,
  usage: event.usage,
  toolsUsed: event.toolsUsed,
});

const spent = ({ usage }: RunRow, event: RunEventOf<'ModelResponded'>): RunRow['usage'] => ({
  inputTokens: usage.inputTokens + event.usage.inputTokens,
  outputTokens: usage.outputTokens + event.usage.outputTokens,
  model: event.usage.model ?? event.model,
});

/** Each tool once, by name; what only moves control between agents is none. */
export const withTool = (run: RunRow, tool: string): RunRow =>
  isInternalTool(tool) || run.toolsUsed.includes(tool) ? run : { ...run, toolsUsed: [...run.toolsUsed, tool].sort() };

export const deadLetterOf = (run: RunRow, event: RunEventOf<'RunFailed'>): DeadLetterRow => ({
  ...eventKey(event, run),
  agent: run.agent,
  agentVersion: run.agentVersion,
  userId: run.userId,
  threadId: run.threadId,
  inputSummary: run.inputSummary,
  reason: event.reason,
  errorCode: event.errorCode,
});
