import type { RunFact } from '@millrace/contracts';
import { requireDispatched, requireKnown } from './guards.js';
import {
  contentOf,
  type CancelRun,
  type PauseRun,
  type QueueRun,
  type RequestRun,
  type ResumeRun,
  type SaveCheckpoint,
  type StartRun,
} from './run.commands.js';
import { requestPrint } from './request-print.js';
import { isHeld, workOf } from './run.queries.js';
import { RunRefused } from './run-refused.js';
import type { KnownRun, Run } from './run.state.js';

export const requestRun = (command: RequestRun, run: Run): RunFact[] => {
  if (run.status === 'ABSENT') return [{ kind: 'RunRequested', ...contentOf(command) }];
  if (!isRequestOf(run, command)) throw new RunRefused('RUN_EXISTS', command);
  return [];
};

/** One that does not say which fields came from defaults, as older ones do not, is compared by all of them. */
const isRequestOf = ({ requestPrint: print }: KnownRun, command: RequestRun): boolean => {
  const { defaulted, ...whole } = command;
  return print === requestPrint(command) || print === requestPrint(whole);
};

export const queueRun = (command: QueueRun, run: Run): RunFact[] => {
  const known = requireKnown(command, run);
  if (known.wasQueued) return [];
  switch (known.status) {
    case 'PENDING':
      return [{ kind: 'RunQueued', waitingFor: command.waitingFor }];
    case 'QUEUED':
      return [];
    case 'DISPATCHED':
    case 'RUNNING':
    case 'PAUSED':
      throw new RunRefused('RUN_STARTED', command);
    case 'CANCELED_REQUESTED':
      throw new RunRefused('RUN_CANCEL_REQUESTED', command);
    case 'SUCCEEDED':
    case 'FAILED':
    case 'CANCELED':
      throw new RunRefused('RUN_ENDED', command);
  }
};

export const startRun = (command: StartRun, run: Run): RunFact[] => {
  const known = requireKnown(command, run);
  if (workOf(known)) return []; // started before, whatever has become of it since
  switch (known.status) {
    case 'PENDING':
    case 'QUEUED': {
      if (isHeld(known)) throw new RunRefused('RUN_AWAITS_IMPROVEMENT', command);
      const { appId, policy, agent } = known;
      return [{ kind: 'RunStarted', appId, policy, agent, agentVersion: command.agentVersion }];
    }
    case 'DISPATCHED':
    case 'RUNNING':
    case 'PAUSED':
      return [];
    case 'CANCELED_REQUESTED':
      throw new RunRefused('RUN_CANCEL_REQUESTED', command);
    case 'SUCCEEDED':
    case 'FAILED':
    case 'CANCELED':
      throw new RunRefused('RUN_ENDED', command);
  }
};

export const pauseRun = (command: PauseRun, run: Run): RunFact[] => {
  const { status } = requireKnown(command, run);
  switch (status) {
    case 'RUNNING':
      return [{ kind: 'RunPaused', ...contentOf(command) }];
    case 'PAUSED':
      return [];
    case 'PENDING':
    case 'QUEUED':
    case 'DISPATCHED':
      throw new RunRefused('RUN_NOT_RUNNING', command);
    case 'CANCELED_REQUESTED':
      throw new RunRefused('RUN_CANCEL_REQUESTED', command);
    case 'SUCCEEDED':
    case 'FAILED':
    case 'CANCELED':
      throw new RunRefused('RUN_ENDED', command);
  }
};

export const resumeRun = (command: ResumeRun, run: Run): RunFact[] => {
  const { status } = requireKnown(command, run);
  switch (status) {
    case 'PAUSED':
      return [{ kind: 'RunResumed', ...contentOf(command) }];
    case 'RUNNING':
      return [];
    case 'PENDING':
    case 'QUEUED':
    case 'DISPATCHED':
      throw new RunRefused('RUN_NOT_PAUSED', command);
    case 'CANCELED_REQUESTED':
      throw new RunRefused('RUN_CANCEL_REQUESTED', command);
    case 'SUCCEEDED':
    case 'FAILED':
    case 'CANCELED':
      throw new RunRefused('RUN_ENDED', command);
  }
};

export const cancelRun = (command: CancelRun, run: Run): RunFact[] => {
  const { status } = requireKnown(command, run);
  switch (status) {
    case 'PENDING':
    case 'QUEUED':
    case 'DISPATCHED':
    case 'RUNNING':
    case 'PAUSED':
      return [{ kind: 'RunCancelRequested', ...contentOf(command) }]; // the orchestrator ends it, whoever holds it
    case 'CANCELED_REQUESTED':
    case 'SUCCEEDED':
    case 'FAILED':
    case 'CANCELED':
      return [];
  }
};

/** A checkpoint only shortens a replay, so one that is older than the last is of no use. */
export const saveCheckpoint = (command: SaveCheckpoint, run: Run): RunFact[] => {
  const saved = workOf(run)?.checkpoint ?? -1;
  if (command.iteration <= saved) return [];
  requireDispatched(command, run);
  return [{ kind: 'CheckpointSaved', ...contentOf(command) }];
};
