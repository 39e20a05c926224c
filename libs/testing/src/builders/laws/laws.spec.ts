import { describe, expect, it } from '@jest/globals';
import { aTaskKey, RunStatus, type RunEvent, type RunFact } from '@millrace/contracts';
import * as a from '../facts.js';
import {
  aCancelingRun,
  aFinishedRun,
  anAnsweredRun,
  anAskingRun,
  aPausedRun,
  aQueuedRun,
  aRequestedRun,
  aRunIn,
  aRunningRun,
  aRunUsingATool,
  aSuspendedRun,
  aWorkedRun,
} from '../histories.js';
import { recordedHistories, recordedHistory } from '../recorded-histories.js';
import { stored } from '../stored.js';
import { aTask, speakerOf } from '../tasks.js';
import { LAWS, lawsBroken } from './laws-broken.js';

const second = speakerOf(aTaskKey, 2);
const later = { tasks: [aTask('2/write')] };

const renumbered = (change: (event: RunEvent, index: number) => object): RunEvent[] =>
  stored(aRunningRun()).map((event, index) => ({ ...event, ...change(event, index) }));

/** For each law, histories that break it and no other. */
const BREAKS: { readonly [says: string]: readonly (readonly RunEvent[])[] } = {
  'positions count all events from 0 without a gap': [
    renumbered(({ position }) => ({ position: position + 1 })),
    renumbered(({ position }, index) => (index === 3 ? { position: position + 1 } : {})),
  ],
  'sequences count the public events from 0 without a gap': [
    renumbered((event) => ('sequence' in event ? { sequence: Number(event.sequence) + 1 } : {})),
    renumbered((event) => ('sequence' in event ? { sequence: 0 } : {})),
  ],
  'internal events have no sequence': [renumbered(({ kind }) => (kind === 'RunRequested' ? { sequence: 0 } : {}))],
  'there is at most one terminal event': [],
  'no public event follows the terminal one': [[...aFinishedRun(), a.runResumed()]].map(facts),
  'the status moves only where the state machine leads': [
    [...aRequestedRun(), a.runCanceled()],
    [...aRunningRun(), a.runCanceled()],
  ].map(facts),
  'a run finishes only when it was started, or its goal was declared achieved': [
    [...aRequestedRun(), a.runFinished()],
    [...aQueuedRun(), a.runFinished(), a.goalAchieved()],
  ].map(facts),
  'nothing begins once a cancel was requested, and the run ends as canceled': [
    [...aCancelingRun(), a.nodeScheduled(later)],
    [...aCancelingRun(), a.nodeStarted(second)],
    [...aCancelingRun(), a.nodeRetryScheduled()],
    [...aCancelingRun(), a.toolRequested()],
    [...aCancelingRun(), a.inputRequested()],
  ].map(facts),
  'no node is scheduled or started while the run is paused': [
    [...aPausedRun(), a.nodeScheduled(later)],
    [...aPausedRun(), a.nodeStarted(second)],
  ].map(facts),
  'a task is scheduled once and finished at most once': [[...aRunningRun(), a.nodeScheduled()]].map(facts),
  'the attempts of a task count up by one': [
    [...aRunningRun(), a.nodeStarted()],
    [...aRunningRun(), a.nodeStarted(speakerOf(aTaskKey, 3))],
  ].map(facts),
  'only the attempt that holds a task speaks for it, and nobody once it is finished': [
    [...aRunningRun(), a.nodeStarted(second), a.tokenDelta()],
    [...aRunningRun(), a.tokenDelta(second)],
    [...aRunningRun(), a.nodeRetryScheduled(), a.tokenDelta()],
    [...aSuspendedRun(), a.tokenDelta()],
    [...aWorkedRun(), a.tokenDelta()],
    [...aWorkedRun(), a.nodeStarted(second)],
    [...aRunUsingATool(), a.nodeStarted(second), a.toolFinished()],
  ].map(facts),
  'a suspended task starts again only when all it asked is answered or expired': [
    [...aSuspendedRun(), a.nodeStarted(second)],
    [...aSuspendedRun(), a.nodeStarted(second), a.inputProvided()],
  ].map(facts),
  'an effect and the answer of a model are recorded once in a task': [
    [...aRunningRun(), a.effectRecorded(), a.effectRecorded()],
    [...aRunningRun(), a.modelResponded(), a.nodeStarted(second), a.modelResponded(second)],
  ].map(facts),
  'a request for input is made once, and answered or expired at most once after that': [
    [...anAskingRun(), a.inputRequested()],
    [...anAskingRun(), a.inputProvided(), a.inputProvided()],
    [...anAskingRun(), a.inputProvided(), a.inputExpired()],
    [...aRunningRun(), a.inputProvided(), a.inputRequested()],
  ].map(facts),
  'a tool is requested once, and answered at most once after that': [
    [...aRunUsingATool(), a.toolRequested()],
    [...aRunUsingATool(), a.toolFinished(), a.toolFinished()],
    [...aRunningRun(), a.toolFinished()],
    [...aRunUsingATool(), a.toolFinished({ tool: 'other' })],
  ].map(facts),
  'every tool of a task or a run that has ended is answered': [
    [...aRunUsingATool(), a.nodeFinished()],
    [...aRunUsingATool(), a.runFailed()],
    [...aRunUsingATool(), a.runCancelRequested(), a.runCanceled()],
  ].map(facts),
};

function facts(history: readonly RunFact[]): readonly RunEvent[] {
  return stored(history);
}

describe('the laws', () => {
  it('are kept by every history the builders make', () => {
    for (const status of RunStatus.options) expect(lawsBroken(stored(aRunIn(status)))).toEqual([]);
    expect(lawsBroken(stored(anAnsweredRun()))).toEqual([]);
    expect(lawsBroken(stored([...aQueuedRun(), a.goalAchieved(), a.runFinished()]))).toEqual([]);
    expect(lawsBroken([])).toEqual([]);
  });

  it.each(recordedHistories())('are kept by the recorded history %s', (name) => {
    expect(lawsBroken(recordedHistory(name))).toEqual([]);
  });

  it('are each broken here', () => {
    expect(Object.keys(BREAKS).sort()).toEqual(LAWS.map(({ says }) => says).sort());
  });

  it.each(Object.entries(BREAKS))('see it when not: %s', (says, histories) => {
    for (const history of histories) expect(lawsBroken(history)).toEqual([says]);
  });

  it('see a second end, which is also something public after the first', () => {
    expect(lawsBroken(stored([...aFinishedRun(), a.runFailed()]))).toEqual([
      'there is at most one terminal event',
      'no public event follows the terminal one',
    ]);
  });
});
