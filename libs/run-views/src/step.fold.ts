import type { RunEventOf } from '@millrace/contracts';
import type { InProject, StepRow } from './rows.js';
import { moment } from './storable.js';

export type StepEvent = RunEventOf<'NodeStarted' | 'NodeFinished' | 'NodeRetryScheduled' | 'NodeSuspended'>;

export const scheduledSteps = ({ tasks, ...event }: RunEventOf<'NodeScheduled'>, run: InProject): StepRow[] =>
  tasks.map(({ key, node, iteration }, place) => scheduledStep(event, run, { taskKey: key, node, iteration, place }));

/** Of a step that is scheduled by its start, or whose schedule was not seen. */
export const unscheduledStep = (event: RunEventOf<'NodeStarted'>, run: InProject): StepRow =>
  scheduledStep(event, run, { ...event, place: 0 });

const scheduledStep = (
  { tenantId, runId, position }: Pick<StepRow, 'tenantId' | 'runId' | 'position'>,
  { projectId }: InProject,
  { taskKey, node, iteration, place }: Pick<StepRow, 'taskKey' | 'node' | 'iteration' | 'place'>,
): StepRow => ({
  tenantId,
  runId,
  projectId,
  taskKey,
  node,
  iteration,
  status: 'SCHEDULED',
  attempt: 0,
  standsFrom: 1,
  agentId: null,
  startedAt: null,
  finishedAt: null,
  durationMs: null,
  retryAt: null,
  error: null,
  output: null,
  position,
  place,
});

/** The very same row when the event does not fit: a finished step changes no more, an attempt begins once. */
export const evolveStep = (step: StepRow, event: StepEvent): StepRow => {
  if (isFinished(step)) return step;
  switch (event.kind) {
    case 'NodeStarted':
      return event.attempt > step.attempt ? started(step, event) : step;
    case 'NodeFinished':
      return {
        ...step,
        status: event.result,
        attempt: event.attempt,
        agentId: event.agentId,
        finishedAt: moment(event.ts),
        durationMs: event.durationMs,
        retryAt: null,
        error: event.error ?? null,
        output: event.output ?? null,
      };
    case 'NodeRetryScheduled':
      return { ...step, status: 'RETRYING', retryAt: moment(event.retryAt), error: event.error };
    case 'NodeSuspended':
      return { ...step, status: 'WAITING' };
  }
};

export const isFinished = ({ status }: StepRow): boolean =>
  status === 'SUCCESS' || status === 'FAILURE' || status === 'SKIPPED';

const started = (step: StepRow, event: RunEventOf<'NodeStarted'>): StepRow => ({
  ...step,
  status: 'RUNNING',
  attempt: event.attempt,
  standsFrom: event.continues === true ? step.standsFrom : event.attempt,
  agentId: event.agentId,
  startedAt: step.startedAt ?? moment(event.ts),
  retryAt: null,
});
