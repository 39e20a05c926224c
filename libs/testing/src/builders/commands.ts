import {
  aRequestId,
  aRunId,
  aTenantId,
  FACT_FIXTURES,
  type RunEventKind,
  type RunFactOf,
  RunId,
  type RunRef,
} from '@millrace/contracts';
import type * as domain from '@millrace/run-domain';
import { tokenDelta } from './facts.js';

/** The run every builder speaks of, unless told otherwise. */
export const aRunRef: RunRef = { tenantId: aTenantId, runId: aRunId };

type Content<C extends domain.RunCommand> = Omit<C, 'kind' | keyof RunRef>;

const order =
  <C extends domain.RunCommand>(kind: C['kind'], content: Content<C>) =>
  (overrides: Partial<Omit<C, 'kind'>> = {}): C =>
    ({ ...aRunRef, kind, ...content, ...overrides }) as C;

/** What the fact of the same name carries: so `requestTool()`, taken, is `toolRequested()`. */
const contentOf = <K extends RunEventKind>(factKind: K): Omit<RunFactOf<K>, 'kind'> => {
  const { kind, ...content } = FACT_FIXTURES[factKind];
  return content;
};

export const requestRun = order<domain.RequestRun>('RequestRun', contentOf('RunRequested'));
export const queueRun = order<domain.QueueRun>('QueueRun', contentOf('RunQueued'));
export const startRun = order<domain.StartRun>('StartRun', { agentVersion: FACT_FIXTURES.RunStarted.agentVersion });
export const pauseRun = order<domain.PauseRun>('PauseRun', contentOf('RunPaused'));
export const resumeRun = order<domain.ResumeRun>('ResumeRun', contentOf('RunResumed'));
export const cancelRun = order<domain.CancelRun>('CancelRun', contentOf('RunCancelRequested'));
export const confirmCancel = order<domain.ConfirmCancel>('ConfirmCancel', {});
export const endGraph = order<domain.EndGraph>('EndGraph', contentOf('GraphEnded'));
export const finishRun = order<domain.FinishRun>('FinishRun', contentOf('RunFinished'));
export const failRun = order<domain.FailRun>('FailRun', contentOf('RunFailed'));
export const achieveGoal = order<domain.AchieveGoal>('AchieveGoal', contentOf('GoalAchieved'));
export const requestRetry = order<domain.RequestRetry>('RequestRetry', contentOf('RetryRequested'));
export const retryAfterFailure = order<domain.RetryAfterFailure>('RetryAfterFailure', {
  ...{ by: 'ada', retryRunId: RunId.parse('01JD0000000000000000000007') },
});
export const provideImprovement = order<domain.ProvideImprovement>(
  'ProvideImprovement',
  contentOf('ImprovementProvided'),
);
export const saveCheckpoint = order<domain.SaveCheckpoint>('SaveCheckpoint', contentOf('CheckpointSaved'));

export const scheduleNodes = order<domain.ScheduleNodes>('ScheduleNodes', contentOf('NodeScheduled'));
export const startNode = order<domain.StartNode>('StartNode', contentOf('NodeStarted'));
export const finishNode = order<domain.FinishNode>('FinishNode', contentOf('NodeFinished'));
export const scheduleRetry = order<domain.ScheduleRetry>('ScheduleRetry', contentOf('NodeRetryScheduled'));
export const suspendNode = order<domain.SuspendNode>('SuspendNode', contentOf('NodeSuspended'));
export const say = (fact: domain.SpokenFact = tokenDelta()): domain.Say => ({ ...aRunRef, kind: 'Say', fact });

export const requestTool = order<domain.RequestTool>('RequestTool', contentOf('ToolRequested'));
export const progressTool = order<domain.ProgressTool>('ProgressTool', contentOf('ToolProgressed'));
export const finishTool = order<domain.FinishTool>('FinishTool', contentOf('ToolFinished'));

export const requestInput = order<domain.RequestInput>('RequestInput', contentOf('InputRequested'));
export const provideInput = order<domain.ProvideInput>('ProvideInput', contentOf('InputProvided'));
export const expireInput = order<domain.ExpireInput>('ExpireInput', { requestId: aRequestId });
