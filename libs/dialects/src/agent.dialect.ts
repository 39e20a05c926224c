import type { AgentEvent, PublicEvent, RunEvent, RunEventOf } from '@millrace/contracts';
import { type Dialect, isShown } from './frame.js';
import { saidText } from './said-text.js';

/** The 21 events of an agent's loop. */
export const agentDialect: Dialect = (event) => agentEvents(event).map((data) => ({ data }));

/** The same without the frame, for whoever shows a run without a wire between. */
export const agentEvents = (event: RunEvent): AgentEvent[] => (isShown(event) ? translate(event) : []);

const translate = (event: PublicEvent): AgentEvent[] => {
  switch (event.kind) {
    case 'RunStarted':
      return [{ type: 'start', runId: event.runId, agent: event.agent, agentVersion: event.agentVersion }];
    case 'ThoughtDelta':
      return [{ type: 'thought', text: event.text, ...by(event) }];
    case 'TokenDelta':
      return [{ type: 'content', text: event.text, role: 'agent', partial: true, ...by(event) }];
    case 'MessageAdded':
      return [message(event)];
    case 'ModelRequested': {
      const { callId, model, request } = event;
      return [{ type: 'sendRequest', callId, model, request, ...by(event) }];
    }
    case 'ToolRequested': {
      const { input: args, needsApproval } = event;
      return [
        { type: 'functionCall', ...call(event), args, ...(needsApproval === undefined ? {} : { needsApproval }) },
      ];
    }
    case 'ToolProgressed':
      return [{ type: 'functionCallUpdate', ...call(event), status: event.status }];
    case 'ToolFinished':
      return [result(event)];
    case 'SubagentProgressed':
      return [{ type: 'subagentAddJson', ...nested(event), json: event.json }];
    case 'SubagentFailed':
      return [{ type: 'subagentError', ...nested(event), error: event.error }];
    case 'SubagentFinished':
      return [{ type: 'subagentFinish', ...nested(event), ...('json' in event ? { json: event.json } : {}) }];
    case 'InputRequested':
      return [question(event)];
    case 'InputProvided':
      return [questionClosed(event, 'answered')];
    case 'InputExpired':
      return [questionClosed(event, 'expired')];
    case 'GraphEdited':
      return [{ type: 'graphEdit', edits: event.edits, ...by(event) }];
    case 'NodeFinished':
      return [{ type: 'turnComplete', result: event.result, ...by(event) }];
    case 'RunFinished': {
      const { output, summary, sources, usage } = event;
      return [{ type: 'complete', result: output, summary, sources, usage }, FINISH];
    }
    case 'RunFailed':
      return [{ type: 'error', message: event.reason, code: event.errorCode, aborted: false }, FINISH];
    case 'RunCanceled':
      return [
        { type: 'error', message: event.reason ?? 'The run was canceled.', code: 'CANCELED', aborted: true },
        FINISH,
      ];
    case 'RunPaused':
    case 'RunResumed':
    case 'RunCancelRequested':
    case 'PolicySwitched':
    case 'NodeStarted':
    case 'NodeRetryScheduled':
    case 'ModelResponded':
    case 'SpecialistFinished':
    case 'LogWritten':
    case 'ProgressReported':
      return []; // this dialect has no word for them
    case 'RunRequested':
    case 'RunQueued':
    case 'CheckpointSaved':
    case 'GoalAchieved':
    case 'ImprovementProvided':
    case 'RetryRequested':
    case 'GraphEnded':
    case 'FollowUpDue':
    case 'NodeScheduled':
    case 'NodeSuspended':
    case 'EffectRecorded':
    case 'AgentChanged':
      return []; // internal
  }
};

const FINISH: AgentEvent = { type: 'finish' };

const by = ({ node, taskKey, attempt }: RunEventOf<'TokenDelta' | 'NodeFinished'> | Speaking) => ({
  node,
  taskKey,
  attempt,
});
type Speaking = RunEventOf<'ThoughtDelta' | 'MessageAdded' | 'ModelRequested' | 'GraphEdited'>;

const call = ({ toolUseId, tool }: RunEventOf<'ToolRequested' | 'ToolProgressed' | 'ToolFinished'>) => ({
  callId: toolUseId,
  name: tool,
});

const nested = ({
  toolUseId,
  subagentId,
}: RunEventOf<'SubagentProgressed' | 'SubagentFailed' | 'SubagentFinished'>) => ({ callId: toolUseId, subagentId });

const message = (event: RunEventOf<'MessageAdded'>): AgentEvent => {
  const { role, content } = event;
  const more = typeof content === 'string' ? {} : { content };
  return { type: 'content', text: saidText(content), role, partial: false, ...more, ...by(event) };
};

const result = (event: RunEventOf<'ToolFinished'>): AgentEvent => {
  const { ok, output, error } = event;
  return {
    type: 'functionResult',
    ...call(event),
    ok,
    ...(output === undefined ? {} : { result: output }),
    ...(error === undefined ? {} : { error }),
  };
};

const question = ({ requestId, request, expiresAt }: RunEventOf<'InputRequested'>): AgentEvent => {
  const asked = { requestId, ...(expiresAt === undefined ? {} : { expiresAt }) };
  // Not one of the six a client is asked in this dialect: shown as what it is, a call that waits for somebody.
  if (request.type === 'toolApproval') {
    return {
      type: 'functionCallUpdate',
      callId: request.toolUseId,
      name: request.tool,
      status: 'needsApproval',
      requestId,
    };
  }
  return { ...request, ...asked };
};

/** Whoever reads the run again must not ask a person for what was answered long ago. */
const questionClosed = (
  { requestId }: { requestId: RunEventOf<'InputProvided'>['requestId'] },
  status: string,
): AgentEvent => ({
  type: 'functionCallUpdate',
  callId: requestId,
  requestId,
  status,
});
