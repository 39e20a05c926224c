import type { RunEvent, RunEventOf } from '@millrace/contracts';
import type { CheckpointRow, EventKey, MessageRow, RunLogRow, SpeakerRow } from './rows.js';
import { moment } from './storable.js';

/** Rows that are made of one event and never change. */
export const messageOf = (event: RunEvent): MessageRow | undefined => {
  switch (event.kind) {
    case 'RunRequested':
      return { ...personSaid(event, event.userId, event.input), type: 'request' };
    case 'InputProvided':
      return { ...personSaid(event, event.by, event.response), type: 'answer' };
    case 'MessageAdded':
      return {
        ...agentSaid(event),
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
        ...agentSaid(event),
        type: 'model_response',
        content: event.content ?? null,
        thinking: thinkingIn(event.content),
        model: event.model,
        usage: event.usage,
      };
    case 'AgentChanged': {
      const { fromAgentId, toAgentId } = event;
      return { ...agentSaid(event), type: 'agent_transition', content: { fromAgentId, toAgentId }, isInternal: true };
    }
    case 'CheckpointSaved':
    case 'EffectRecorded':
    case 'GoalAchieved':
    case 'GraphEdited':
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

export const logOf = (event: RunEventOf<'LogWritten'>): RunLogRow => ({
  ...eventKey(event),
  ...speakerOf(event),
  level: event.level,
  message: event.message,
  payload: event.payload ?? null,
  source: event.source,
});

export const checkpointOf = (event: RunEventOf<'CheckpointSaved'>): CheckpointRow => ({
  ...eventKey(event),
  iteration: event.iteration,
  node: event.node,
  resumeToken: event.resumeToken,
});

export const eventKey = (event: RunEvent): EventKey => ({
  tenantId: event.tenantId,
  runId: event.runId,
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

const personSaid = (event: RunEvent, from: string, content: unknown): Omit<MessageRow, 'type'> => ({
  ...eventKey(event),
  ...NOBODY,
  ...UNSAID,
  from,
  role: 'user',
  content: content ?? null,
});

const agentSaid = (event: RunEvent & SpeakerRow): Omit<MessageRow, 'type' | 'content'> => ({
  ...eventKey(event),
  ...speakerOf(event),
  ...UNSAID,
  from: event.agentId,
  role: 'agent',
});

/** Models that show their thoughts do so in blocks of their own. */
const thinkingIn = (content: unknown): string | null => {
  if (!Array.isArray(content)) return null;
  const thoughts = content.flatMap((block: unknown) =>
    block !== null && typeof block === 'object' && 'thinking' in block && typeof block.thinking === 'string'
      ? [block.thinking]
      : [],
  );
  return thoughts.length > 0 ? thoughts.join('\n') : null;
};
