import type { RunFactOf, RunRef } from '@millrace/contracts';
import type { ActiveRun, CancelingRun, EndedRun, KnownRun, OpenTask, Run, Work } from './run.state.js';
import { hasEnded, taskOf, workOf } from './run.queries.js';
import { RunRefused } from './run-refused.js';

export type SpeakerFields = Omit<RunFactOf<'NodeStarted'>, 'kind' | 'continues' | 'scheduled'>;

export const requireKnown = (ref: RunRef, run: Run): KnownRun => {
  if (run.status === 'ABSENT') throw new RunRefused('RUN_NOT_FOUND', ref);
  return run;
};

/** Dispatched and not ended: a run in which nodes exist, even while it is paused or being canceled. */
export const requireDispatched = (ref: RunRef, run: Run): (ActiveRun | CancelingRun) & { readonly work: Work } => {
  const known = requireKnown(ref, run);
  if (hasEnded(known)) throw new RunRefused('RUN_ENDED', ref);
  if (!isDispatched(known)) throw new RunRefused('RUN_NOT_STARTED', ref);
  return known;
};

const isDispatched = (run: Exclude<KnownRun, EndedRun>): run is (ActiveRun | CancelingRun) & { readonly work: Work } =>
  workOf(run) !== undefined;

/** As {@link requireDispatched}, for what must not begin once somebody wants the run to end. */
export const requireNotCanceling = (ref: RunRef, run: Run): ActiveRun => {
  if (run.status === 'CANCELED_REQUESTED') throw new RunRefused('RUN_CANCEL_REQUESTED', ref);
  const dispatched = requireDispatched(ref, run);
  return dispatched as ActiveRun;
};

/** As {@link requireNotCanceling}, for what waits while the run is paused. */
export const requireUnpaused = (ref: RunRef, run: Run): ActiveRun => {
  const active = requireNotCanceling(ref, run);
  if (active.status === 'PAUSED') throw new RunRefused('RUN_PAUSED', ref);
  return active;
};

/** The task has no result yet, and is the one the speaker means. */
export const requireOpenTask = (ref: RunRef, { taskKey, node }: SpeakerFields, run: Run): OpenTask => {
  const task = taskOf(run, taskKey);
  const thing = `task ${taskKey}`;
  if (!task) throw new RunRefused('TASK_NOT_FOUND', ref, thing);
  if (task.node !== node) throw new RunRefused('TASK_CONFLICT', ref, `${thing} (${task.node}, not ${node})`);
  if (task.state.name === 'FINISHED') throw new RunRefused('TASK_FINISHED', ref, thing);
  return task as OpenTask;
};

/** The fence: only the attempt that holds the task may speak for it. */
export const requireSpeaker = (ref: RunRef, speaker: SpeakerFields, run: Run): OpenTask => {
  requireDispatched(ref, run);
  const task = requireOpenTask(ref, speaker, run);
  const thing = `task ${task.key}, attempt ${speaker.attempt} of ${task.attempt}`;
  if (speaker.attempt < task.attempt) throw new RunRefused('ATTEMPT_SUPERSEDED', ref, thing);
  if (speaker.attempt > task.attempt || task.state.name !== 'STARTED') {
    throw new RunRefused('TASK_NOT_STARTED', ref, thing);
  }
  return task;
};
