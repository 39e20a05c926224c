import { isPublic, isTerminal, type RunEvent, type RunStatus } from '@millrace/contracts';
import { absent, evolve } from '@millrace/run-domain';
import { countsFrom, ofKind, type Law } from './law.js';

export const RUN_LAWS: readonly Law[] = [
  {
    says: 'positions count all events from 0 without a gap',
    holds: (events) =>
      countsFrom(
        0,
        events.map(({ position }) => position),
      ),
  },
  {
    says: 'sequences count the public events from 0 without a gap',
    holds: (events) => countsFrom(0, events.filter(isPublic).map(sequenceOf)),
  },
  {
    says: 'internal events have no sequence',
    holds: (events) => events.every((event) => isPublic(event) || sequenceOf(event) === undefined),
  },
  { says: 'there is at most one terminal event', holds: (events) => events.filter(isTerminal).length <= 1 },
  {
    says: 'no public event follows the terminal one',
    holds: (events) => !afterFirst(events, isTerminal).some(isPublic),
  },
  { says: 'the status moves only where the state machine leads', holds: (events) => movesOf(events).every(isListed) },
  {
    says: 'a run finishes only when it was started, or its goal was declared achieved',
    holds: (events) => {
      const end = events.findIndex(({ kind }) => kind === 'RunFinished');
      return end < 0 || ofKind(events.slice(0, end), 'RunStarted', 'GoalAchieved').length > 0;
    },
  },
  {
    says: 'nothing begins once a cancel was requested, and the run ends as canceled',
    holds: (events) => {
      const later = afterFirst(events, ({ kind }) => kind === 'RunCancelRequested');
      const begun = ofKind(later, 'NodeScheduled', 'NodeStarted', 'NodeRetryScheduled', 'ToolRequested');
      return begun.length + ofKind(later, 'InputRequested', 'RunFinished', 'RunFailed').length === 0;
    },
  },
  {
    says: 'no node is scheduled or started while the run is paused',
    holds: (events) => {
      let isPaused = false;
      return events.every(({ kind }) => {
        if (kind === 'RunPaused' || kind === 'RunResumed') isPaused = kind === 'RunPaused';
        return !isPaused || (kind !== 'NodeScheduled' && kind !== 'NodeStarted');
      });
    },
  },
];

const sequenceOf = (event: RunEvent): number | undefined => ('sequence' in event ? event.sequence : undefined);

const afterFirst = (events: readonly RunEvent[], isIt: (event: RunEvent) => boolean): readonly RunEvent[] => {
  const at = events.findIndex(isIt);
  return at < 0 ? [] : events.slice(at + 1);
};

type State = RunStatus | 'ABSENT';

const LISTED: { readonly [S in State]: readonly State[] } = {
  ABSENT: ['PENDING'],
  PENDING: ['QUEUED', 'DISPATCHED', 'CANCELED_REQUESTED', 'SUCCEEDED', 'FAILED'],
  QUEUED: ['DISPATCHED', 'CANCELED_REQUESTED', 'SUCCEEDED', 'FAILED'],
  DISPATCHED: ['RUNNING', 'CANCELED_REQUESTED', 'SUCCEEDED', 'FAILED'],
  RUNNING: ['PAUSED', 'CANCELED_REQUESTED', 'SUCCEEDED', 'FAILED'],
  PAUSED: ['RUNNING', 'CANCELED_REQUESTED', 'SUCCEEDED', 'FAILED'],
  CANCELED_REQUESTED: ['CANCELED'],
  SUCCEEDED: [],
  FAILED: [],
  CANCELED: [],
};

const isListed = ([from, to]: readonly [State, State]): boolean => from === to || LISTED[from].includes(to);

const movesOf = (events: readonly RunEvent[]): (readonly [State, State])[] => {
  let run = absent;
  return events.map((event) => {
    const from = run.status;
    run = evolve(run, event);
    return [from, run.status];
  });
};
