import type { RunEvent, RunEventOf } from '@millrace/contracts';
import type { CheckpointRow, EventKey, InProject, MessageRow, RunLogRow, SpeakerRow } from './rows.js';
import { moment } from './storable.js';

/** Rows that are made of one event and never change. Which project they are in is said by the run's first event alone. */
export const messageOf = (event: RunEvent, run: InProject): MessageRow | undefined => {
  switch (event.kind) {
    case 'RunRequested':
      return { ...personSaid(event, run, event.userId, event.input), type: 'request' };
    case 'InputProvided':
      return { ...personSaid(event, run, event.by, event.response), type: 'answer' };
    case 'MessageAdded':
      return {
        ...agentSaid(event, run),
        type: 'message',
        from: event.from,
        role: event.role,
        content: event.content ?? null,
        round: event.round,
        model: event.model ?? null,
        usage: event.usage ?? null,
      };
    case 'ModelResponded':
      return {
        ...agentSaid(event, run),
        type: 'model_response',
        content: event.content ?? null,
        thinking: thinkingIn(event.content),
        model: event.model,
        usage: event.usage,
      };
    case 'AgentChanged': {
      const { fromAgentId, toAgentId } = event;
      return {
        ...agentSaid(event, run),
        type: 'agent_transition',
        content: { fromAgentId, toAgentId },
        isInternal: true,
      };
    }
    case 'CheckpointSaved':
    case 'EffectRecorded':
    case 'GoalAchieved':
    case 'GraphEdited':
    case 'GraphEnded':
    case 'FollowUpDue':
    case 'InputExpired':
    case 'InputRequested':
    case 'LogWritten':
    case 'ModelRequested':
    case 'NodeFinished':
    case 'NodeRetryScheduled':
    case 'NodeScheduled':
    case 'NodeStarted':
    case 'NodeSuspended':
    case 'PolicySwitched':
    case 'ProgressReported':
    case 'ImprovementProvided':
    case 'RetryRequested':
    case 'RunCanceled':
    case 'RunCancelRequested':
    case 'RunFailed':
    case 'RunFinished':
    case 'RunPaused':
    case 'RunQueued':
    case 'RunResumed':
    case 'RunStarted':
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
      return undefined;
  }
};

export const logOf = (event: RunEventOf<'LogWritten'>, run: InProject): RunLogRow => ({
  ...eventKey(event, run),
  ...speakerOf(event),
  level: event.level,
  message: event.message,
  payload: event.payload ?? null,
  source: event.source,
});

export const checkpointOf = (event: RunEventOf<'CheckpointSaved'>, run: InProject): CheckpointRow => ({
  ...eventKey(event, run),
  iteration: event.iteration,
  node: event.node,
  resumeToken: event.resumeToken,
});

export const eventKey = (event: RunEvent, { projectId }: InProject): EventKey => ({
  tenantId: event.tenantId,
  runId: event.runId,
  projectId,
  position: event.position,
  sequence: sequenceOf(event),
  createdAt: moment(event.ts),
});

export const sequenceOf = (event: RunEvent): number | null =>
  'sequence' in event && event.sequence !== undefined ? event.sequence : null;

export const speakerOf = ({ agentId, node, taskKey, iteration, attempt }: SpeakerRow): SpeakerRow => ({
  agentId,
  node,
  taskKey,
  iteration,
  attempt,
});

const NOBODY = { agentId: null, node: null, taskKey: null, iteration: null, attempt: null };
const UNSAID = { thinking: null, round: null, model: null, usage: null, isInternal: false };

const personSaid = (event: RunEvent, run: InProject, from: string, content: unknown): Omit<MessageRow, 'type'> => ({
  ...eventKey(event, run),
  ...NOBODY,
  ...UNSAID,
  from,
  role: 'user',
  content: content ?? null,
});

const agentSaid = (event: RunEvent & SpeakerRow, run: InProject): Omit<MessageRow, 'type' | 'content'> => ({
  ...eventKey(event, run),
  ...speakerOf(event),
  ...UNSAID,
  from: event.agentId,
  role: 'agent',
});

/** What was thought on the way: beside the text, as `llm()` records it, or in blocks of their own, as vendors send it. */
const thinkingIn = (content: unknown): string | null => {
  const thoughts = (Array.isArray(content) ? content : [content]).flatMap((part: unknown) =>
    part !== null && typeof part === 'object' && 'thinking' in part && typeof part.thinking === 'string'
      ? [part.thinking]
      : [],
  );
  return thoughts.length > 0 ? thoughts.join('\n') : null;
};
