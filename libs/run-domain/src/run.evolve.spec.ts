import { describe, expect, it } from '@jest/globals';
import { aTaskKey, FACT_FIXTURES, RUN_EVENT_KINDS, RunStatus, type RunFact } from '@millrace/contracts';
import {
  anAnsweredRun,
  aRunIn,
  aRunningRun,
  aRunUsingATool,
  aSuspendedRun,
  aWorkedRun,
  checkpointSaved,
  inputRequested,
  nodeFinished,
  nodeScheduled,
  nodeStarted,
  runCancelRequested,
  runFinished,
  runPaused,
  runRequested,
  runStarted,
  speakerOf,
  stored,
  toolFinished,
  toolRequested,
} from '@millrace/testing';
import { absent, evolve, fold, openTools, statusOf, taskOf } from './index.js';

const STATUSES = ['ABSENT', ...RunStatus.options] as const;

/** The facts that lead from one status to another; every other fact leaves the status as it is. */
const TRANSITIONS: { readonly [from: string]: { readonly [kind: string]: string } } = {
  ABSENT: { RunRequested: 'PENDING' },
  PENDING: { RunQueued: 'QUEUED', RunStarted: 'DISPATCHED' },
  QUEUED: { RunStarted: 'DISPATCHED' },
  DISPATCHED: { NodeStarted: 'RUNNING' },
  RUNNING: { RunPaused: 'PAUSED' },
  PAUSED: { RunResumed: 'RUNNING' },
};
const ENDS: { readonly [kind: string]: string } = {
  RunCancelRequested: 'CANCELED_REQUESTED',
  RunFinished: 'SUCCEEDED',
  RunFailed: 'FAILED',
  RunCanceled: 'CANCELED',
};

describe('evolve', () => {
  it.each(STATUSES)('leads a run that is %s only where its kind leads', (from) => {
    const isOpen = !['ABSENT', 'SUCCEEDED', 'FAILED', 'CANCELED'].includes(from);
    for (const kind of RUN_EVENT_KINDS) {
      const to = TRANSITIONS[from]?.[kind] ?? (isOpen ? ENDS[kind] : undefined) ?? from;
      expect([kind, statusOf(fold([...aRunIn(from), FACT_FIXTURES[kind]]))]).toEqual([kind, to]);
    }
  });

  it('reads stored events as it reads the facts they were made of', () => {
    for (const status of STATUSES) expect(fold(stored(aRunIn(status)))).toEqual(fold(aRunIn(status)));
    expect(fold(stored(anAnsweredRun()))).toEqual(fold(anAnsweredRun()));
    expect(fold(stored(aRunUsingATool()))).toEqual(fold(aRunUsingATool()));
  });

  it('gives the very same run back when a fact leaves no trace', () => {
    const run = fold([...aRunUsingATool(), checkpointSaved()]);
    const traceless: RunFact[] = [
      runRequested(),
      runStarted(),
      nodeScheduled(),
      nodeStarted(),
      nodeFinished(speakerOf('9/unknown')),
      toolRequested(),
      toolFinished({ toolUseId: 'unknown' }),
      checkpointSaved(),
      FACT_FIXTURES.TokenDelta,
      FACT_FIXTURES.ToolProgressed,
      FACT_FIXTURES.RunResumed,
    ];
    for (const fact of traceless) expect(evolve(run, fact)).toBe(run);
  });

  it('keeps a request for input as it was made first, open or closed', () => {
    for (const run of [fold(aSuspendedRun()), fold(anAnsweredRun())]) {
      expect(evolve(run, inputRequested({ expiresAt: '2026-01-12T11:00:00.000Z' }))).toBe(run);
    }
  });

  it('knows of no work in a run that was canceled before it was dispatched', () => {
    const run = fold([runRequested(), runCancelRequested()]);
    for (const fact of [runStarted(), nodeScheduled(), nodeStarted(), toolRequested(), inputRequested()]) {
      expect(evolve(run, fact)).toBe(run);
    }
  });

  it('takes a kind it does not know as one that leaves no trace', () => {
    const run = fold(aRunningRun());
    const unknown = { ...FACT_FIXTURES.TokenDelta, kind: 'RunDreamed' } as unknown as RunFact;
    expect(evolve(run, unknown)).toBe(run);
    expect(evolve(absent, unknown)).toBe(absent);
  });

  it('changes no state that was given out', () => {
    const before = fold(aSuspendedRun());
    const copy = structuredClone(before);
    for (const kind of RUN_EVENT_KINDS) evolve(before, FACT_FIXTURES[kind]);
    expect(structuredClone(before)).toEqual(copy);
  });

  it('keeps of a finished task that it is finished, by which attempt and how', () => {
    expect(taskOf(fold(aWorkedRun()), aTaskKey)).toEqual({
      key: aTaskKey,
      node: 'plan',
      iteration: 1,
      inputHash: 'q83vEjRWeJo',
      order: 0,
      attempt: 1,
      state: { name: 'FINISHED', result: 'SUCCESS' },
    });
  });

  it('never lets the number of a start go back', () => {
    const run = fold([...aRunningRun(), nodeStarted(speakerOf(aTaskKey, 3)), nodeStarted(speakerOf(aTaskKey, 2))]);
    expect(taskOf(run, aTaskKey)).toMatchObject({ attempt: 3 });
  });

  it('opens no task and no tool for facts that come too late', () => {
    const run = fold([...aWorkedRun(), nodeScheduled(), nodeStarted(speakerOf(aTaskKey, 2)), toolRequested()]);
    expect(taskOf(run, aTaskKey)).toMatchObject({ state: { name: 'FINISHED' }, attempt: 1 });
    expect(openTools(run)).toEqual([]);
    expect(statusOf(fold([...aWorkedRun(), runFinished(), nodeFinished(), runPaused()]))).toBe('SUCCEEDED');
  });
});
