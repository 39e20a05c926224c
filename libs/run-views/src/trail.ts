import { isPublic, type RunEvent } from '@millrace/contracts';
import { eventKey } from './event-rows.js';
import type { InProject, TrailRow } from './rows.js';
import { bounded, readable } from './storable.js';

/** The line a person reads about the event; none for what clients do not see, nor for what a later event tells whole. */
export const trailOf = (event: RunEvent, run: InProject): TrailRow | undefined => {
  const text = trailText(event);
  if (text === undefined) return undefined;
  return {
    ...eventKey(event, run),
    kind: event.kind,
    node: 'node' in event ? event.node : null,
    agentId: 'agentId' in event ? event.agentId : null,
    text,
  };
};

export const trailText = (event: RunEvent): string | undefined => {
  const line = isPublic(event) ? lineOf(event) : undefined;
  return line && bounded(line.replaceAll(/\s+/g, ' ').trim(), LONGEST_LINE);
};

const LONGEST_LINE = 500;

const lineOf = (event: RunEvent): string | undefined => {
  switch (event.kind) {
    case 'RunStarted':
      return `Started ${event.agent} ${event.agentVersion}`;
    case 'RunPaused':
      return `Paused by ${event.by}${because(event.reason)}`;
    case 'RunResumed':
      return `Resumed by ${event.by}${because(event.reason)}`;
    case 'RunCancelRequested':
      return `${event.requestedBy} asked to cancel${because(event.reason)}`;
    case 'RunFinished':
      return `Finished: ${event.summary}`;
    case 'RunFailed':
      return `Failed (${event.errorCode})${because(event.reason)}`;
    case 'RunCanceled':
      return `Canceled${event.canceledBy === undefined ? '' : ` by ${event.canceledBy}`}${because(event.reason)}`;
    case 'PolicySwitched':
      return `Policy ${event.fromPolicy} became ${event.toPolicy}${because(event.reason)}`;
    case 'NodeFinished':
      return `${event.node}: ${RESULTS[event.result]}${because(event.error?.message ?? readable(event.output))}`;
    case 'NodeRetryScheduled':
      return `${event.node}: attempt ${event.attempt} failed, will try again${because(event.error.message)}`;
    case 'ToolFinished':
      return `${event.tool}: ${event.ok ? 'answered' : 'failed'}${because(event.error ?? readable(event.output))}`;
    case 'InputRequested':
      return `${event.node} asks: ${questionOf(event.request)}`;
    case 'InputProvided':
      return `${event.by} answered${because(readable(event.response))}`;
    case 'InputExpired':
      return 'Nobody answered in time';
    case 'MessageAdded':
      return `${event.from}: ${readable(event.content)}`;
    case 'SubagentFailed':
      return `Subagent ${event.subagentId} failed${because(event.error)}`;
    case 'SubagentFinished':
      return `Subagent ${event.subagentId} finished`;
    case 'SpecialistFinished':
      return `${event.specialistId}: ${event.outcome}${because(event.summary)}`;
    case 'GraphEdited':
      return `${event.node} edited the graph (${event.edits.length})`;
    case 'AgentChanged':
    case 'CheckpointSaved':
    case 'EffectRecorded':
    case 'GoalAchieved':
    case 'GraphEnded':
    case 'FollowUpDue':
    case 'LogWritten':
    case 'ModelRequested':
    case 'ModelResponded':
    case 'NodeScheduled':
    case 'NodeStarted':
    case 'NodeSuspended':
    case 'ProgressReported':
    case 'ImprovementProvided':
    case 'RetryRequested':
    case 'RunQueued':
    case 'RunRequested':
    case 'SubagentProgressed':
    case 'ThoughtDelta':
    case 'TokenDelta':
    case 'ToolProgressed':
    case 'ToolRequested':
    default: // a kind only a newer writer knows
      return undefined;
  }
};

const RESULTS = { SUCCESS: 'done', FAILURE: 'failed', SKIPPED: 'skipped' } as const;

const because = (text: string | undefined): string => (text === undefined || text === '' ? '' : `: ${text}`);

const questionOf = (request: Extract<RunEvent, { kind: 'InputRequested' }>['request']): string => {
  switch (request.type) {
    case 'waitForInput':
    case 'waitForChoice':
      return request.prompt ?? request.type;
    case 'queryConsent':
      return request.question;
    case 'toolApproval':
      return `may ${request.tool} be called?`;
    case 'readGraph':
    case 'inspectNode':
    case 'applyEdits':
      return request.type;
  }
};
