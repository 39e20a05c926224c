import type { RunDetail, RunEvent, RunEventKind, RunEventOf, RunRef } from '@millrace/contracts';
import { absent, evolve, openInputs, RunRefused, type Run } from '@millrace/run-domain';

/** The whole history of one run, folded for whoever asks for it by its id. */
export const detailOf = (ref: RunRef, events: readonly RunEvent[]): RunDetail => {
  const run = events.reduce<Run>(evolve, absent);
  const requested = lastOf(events, 'RunRequested');
  if (run.status === 'ABSENT' || !requested) throw new RunRefused('RUN_NOT_FOUND', ref);
  const finished = lastOf(events, 'RunFinished');
  const failed = lastOf(events, 'RunFailed');
  const { threadId, projectId, retryOf } = requested;
  return {
    id: ref.runId,
    status: run.status,
    progress: run.status === 'SUCCEEDED' ? 1 : reportedIn(events),
    createdAt: requested.ts,
    startedAt: lastOf(events, 'RunStarted')?.ts ?? null,
    finishedAt: (finished ?? failed ?? lastOf(events, 'RunCanceled'))?.ts ?? null,
    agent: run.agent,
    appId: run.appId,
    policy: run.policy,
    policyVersion: run.policyVersion,
    stepsCompleted: finished?.stepsCompleted ?? events.filter(isStepDone).length,
    userId: requested.userId,
    ...(threadId === undefined ? {} : { threadId }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(retryOf === undefined ? {} : { retryOf }),
    openInputs: openInputs(run).map(({ requestId, type, expiresAt }) => ({
      ...{ requestId, type },
      ...(expiresAt === undefined ? {} : { expiresAt }),
    })),
    ...(finished ? { output: finished.output } : {}),
    ...(failed ? { error: { code: failed.errorCode, reason: failed.reason } } : {}),
  };
};

/** What nodes last said about how far they are. */
const reportedIn = (events: readonly RunEvent[]): number =>
  events.reduce((before, event) => (event.kind === 'ProgressReported' ? (event.fraction ?? before) : before), 0);

const isStepDone = (event: RunEvent): boolean => event.kind === 'NodeFinished' && event.result === 'SUCCESS';

const lastOf = <K extends RunEventKind>(events: readonly RunEvent[], kind: K): RunEventOf<K> | undefined =>
  events.findLast((event): event is RunEventOf<K> => event.kind === kind);
