import type { RunFact, RunFactOf } from '@millrace/contracts';
import { requestPrint } from './request-print.js';
import { workOf } from './run.queries.js';
import { absent, emptyWork, type EndedRun, type KnownRun, type Run, type WaitingRun } from './run.state.js';
import { evolveWork, type WorkFact } from './work.evolve.js';

/** The state after a history, from its beginning. */
export const fold = (facts: Iterable<RunFact>): Run => {
  let run = absent;
  for (const fact of facts) run = evolve(run, fact);
  return run;
};

/**
 * The state after one more fact. Never throws: what happened cannot be refused, and a fact that does not fit (only a
 * broken history has one) changes nothing. Gives back the very same object when the fact leaves no trace, as every
 * token does.
 */
export const evolve = (run: Run, fact: RunFact): Run => {
  if (run.status === 'ABSENT') return fact.kind === 'RunRequested' ? requested(fact) : run;
  if (fact.kind === 'GoalAchieved') return run.goalAchieved ? run : { ...run, goalAchieved: true };
  if (fact.kind === 'RetryRequested') return retried(run, fact);
  switch (run.status) {
    case 'PENDING':
    case 'QUEUED':
    case 'DISPATCHED':
    case 'RUNNING':
    case 'PAUSED':
    case 'CANCELED_REQUESTED':
      return evolveOpen(run, fact);
    case 'SUCCEEDED':
    case 'FAILED':
    case 'CANCELED':
      return run;
  }
};

const requested = (fact: RunFactOf<'RunRequested'>): Run => ({
  status: 'PENDING',
  agent: fact.agent,
  appId: fact.appId,
  requestPrint: requestPrint(fact),
  policy: fact.policy,
  policyVersion: 1,
  wasQueued: false,
  goalAchieved: false,
  awaitsImprovement: fact.improvedBy,
  retryOnFailure: fact.retryOnFailure,
  retries: [],
  followUp: (fact.improves ?? fact.improvedBy ?? fact.retryOnFailure) ? 'OWED' : undefined,
});

const retried = (run: KnownRun, { retryRunId, by, note }: RunFactOf<'RetryRequested'>): Run => ({
  ...run,
  retries: [...run.retries, { retryRunId, by, note }],
});

type OpenRun = Exclude<KnownRun, EndedRun>;

const evolveOpen = (run: OpenRun, fact: RunFact): Run => {
  switch (fact.kind) {
    case 'RunQueued':
      return run.status === 'PENDING' ? { ...run, status: 'QUEUED', wasQueued: true } : run;
    case 'RunStarted':
      return isWaiting(run) ? { ...run, status: 'DISPATCHED', work: emptyWork(fact.agentVersion) } : run;
    case 'RunPaused':
      return run.status === 'RUNNING' ? { ...run, status: 'PAUSED' } : run;
    case 'RunResumed':
      return run.status === 'PAUSED' ? { ...run, status: 'RUNNING' } : run;
    case 'RunCancelRequested':
      return canceling(run, fact);
    case 'FollowUpDue':
      return { ...run, followUp: 'TOLD' };
    case 'RunFinished':
      return ended(run, 'SUCCEEDED');
    case 'RunFailed':
      return ended(run, 'FAILED');
    case 'RunCanceled':
      return ended(run, 'CANCELED');
    case 'ImprovementProvided':
      return run.awaitsImprovement === undefined ? run : { ...run, awaitsImprovement: undefined };
    case 'PolicySwitched':
      return { ...run, policy: fact.toPolicy, policyVersion: run.policyVersion + 1 };
    case 'NodeScheduled':
    case 'NodeStarted':
    case 'NodeFinished':
    case 'NodeRetryScheduled':
    case 'NodeSuspended':
    case 'EffectRecorded':
    case 'ModelResponded':
    case 'ToolRequested':
    case 'ToolFinished':
    case 'InputRequested':
    case 'InputProvided':
    case 'InputExpired':
    case 'CheckpointSaved':
    case 'GraphEnded':
      return worked(run, fact);
    case 'RunRequested':
    case 'GoalAchieved': // before, whatever the status
    case 'RetryRequested':
    case 'AgentChanged':
    case 'TokenDelta':
    case 'ThoughtDelta':
    case 'ModelRequested':
    case 'ToolProgressed':
    case 'MessageAdded':
    case 'SubagentProgressed':
    case 'SubagentFailed':
    case 'SubagentFinished':
    case 'SpecialistFinished':
    case 'GraphEdited':
    case 'LogWritten':
    case 'ProgressReported':
    default: // a kind only a newer writer knows
      return run;
  }
};

const isWaiting = (run: OpenRun): run is WaitingRun => run.status === 'PENDING' || run.status === 'QUEUED';

const canceling = (run: OpenRun, { requestedBy, reason }: RunFactOf<'RunCancelRequested'>): Run =>
  run.status === 'CANCELED_REQUESTED'
    ? run
    : { ...run, status: 'CANCELED_REQUESTED', cancel: { requestedBy, reason }, work: workOf(run) };

const ended = (run: OpenRun, status: EndedRun['status']): Run => {
  const { agent, appId, requestPrint, policy, policyVersion, wasQueued, goalAchieved, retryOnFailure, retries } = run;
  const kept = { agent, appId, requestPrint, policy, policyVersion, wasQueued, goalAchieved, retryOnFailure, retries };
  return { ...kept, status, work: workOf(run) };
};

const worked = (run: OpenRun, fact: WorkFact): Run => {
  if (!('work' in run) || run.work === undefined) return run;
  const work = evolveWork(run.work, fact);
  if (work === run.work) return run;
  if (fact.kind === 'NodeStarted' && run.status === 'DISPATCHED') return { ...run, status: 'RUNNING', work };
  return { ...run, work };
};
