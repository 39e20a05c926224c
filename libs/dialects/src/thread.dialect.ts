import type { PublicEvent, RunEventOf, ThreadFrame } from '@millrace/contracts';
import { type Dialect, isShown } from './frame.js';
import { saidText } from './said-text.js';

/**
 * The dialect of conversations, in which every frame has an `event:`. A message that was said in tokens is not said
 * again when it is whole: an event does not tell whether it was, and the whole answer comes with `final`.
 */
export const threadDialect: Dialect = (event) => (isShown(event) ? translate(event) : []);

const translate = (event: PublicEvent): ThreadFrame[] => {
  switch (event.kind) {
    case 'TokenDelta':
      return [{ event: 'token', data: { text: event.text } }];
    case 'ToolRequested':
      return [{ event: 'tool_start', data: { tool: event.tool, input: event.input ?? null } }];
    case 'ToolFinished':
      return [{ event: 'tool_end', data: { tool: event.tool, output: outputOf(event) } }];
    case 'RunFinished': {
      const text = saidText(event.output) || event.summary;
      return [{ event: 'final', data: { text, sources: event.sources } }, state('done')];
    }
    case 'RunFailed':
      return [{ event: 'error', data: { error: event.reason } }, state('error')];
    case 'RunCanceled':
      return [{ event: 'canceled', data: { reason: event.reason ?? '' } }, state('canceled')];
    case 'RunStarted':
    case 'RunPaused':
    case 'RunResumed':
    case 'RunCancelRequested':
    case 'PolicySwitched':
    case 'NodeStarted':
    case 'NodeFinished':
    case 'NodeRetryScheduled':
    case 'ThoughtDelta':
    case 'ModelRequested':
    case 'ModelResponded':
    case 'ToolProgressed':
    case 'InputRequested':
    case 'InputProvided':
    case 'InputExpired':
    case 'MessageAdded':
    case 'SubagentProgressed':
    case 'SubagentFailed':
    case 'SubagentFinished':
    case 'SpecialistFinished':
    case 'GraphEdited':
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

const state = (status: 'done' | 'error' | 'canceled'): ThreadFrame => ({ event: 'state', data: { status } });

/** A call that failed has said why instead. */
const outputOf = ({ ok, output, error }: RunEventOf<'ToolFinished'>): unknown =>
  ok ? (output ?? null) : { error: error ?? 'The tool failed.' };
