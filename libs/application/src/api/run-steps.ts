import type { RunEvent, RunStep } from '@millrace/contracts';

/** One step for each task, in the order they were first started; a later attempt takes the place of the one before. */
export const stepsOf = (events: readonly RunEvent[]): RunStep[] => {
  const steps = new Map<string, RunStep>();
  for (const event of events) {
    if (event.kind !== 'NodeStarted' && event.kind !== 'NodeRetryScheduled' && event.kind !== 'NodeFinished') continue;
    const before = steps.get(event.taskKey);
    steps.set(event.taskKey, stepAfter(event, before));
  }
  return [...steps.values()];
};

type StepEvent = Extract<RunEvent, { kind: 'NodeStarted' | 'NodeRetryScheduled' | 'NodeFinished' }>;

const stepAfter = (event: StepEvent, before: RunStep | undefined): RunStep => {
  const { taskKey: key, node, iteration, attempt, ts } = event;
  const step = { key, node, iteration, attempt, startedAt: before?.startedAt ?? ts, finishedAt: null };
  switch (event.kind) {
    case 'NodeStarted':
      return { ...step, state: 'RUNNING' };
    case 'NodeRetryScheduled':
      return { ...step, state: 'RETRYING', error: event.error };
    case 'NodeFinished': {
      const { result, output, error } = event;
      const said = { ...(output === undefined ? {} : { output }), ...(error === undefined ? {} : { error }) };
      return { ...step, state: result, finishedAt: ts, ...said };
    }
  }
};
