import { describe, expect, it } from '@jest/globals';
import { aRequestId, FACT_FIXTURES, parseRunEvent, RunId, RUN_EVENT_KINDS, RunStatus } from '@millrace/contracts';
import { decide, fold, statusOf, type RunCommand } from '@millrace/run-domain';
import * as commands from './commands.js';
import * as facts from './facts.js';
import { aRunIn } from './histories.js';
import { HISTORY_SCRIPTS, recordHistory } from './history-scripts.js';
import { recordedHistories, recordedHistory } from './recorded-histories.js';
import { stored } from './stored.js';
import { aTask, requestIdOf, speakerOf } from './tasks.js';

describe('the fact builders', () => {
  it('cover every kind, each with its fixture', () => {
    const built = Object.values(facts).map((build) => build());
    expect(built.map(({ kind }) => kind).sort()).toEqual([...RUN_EVENT_KINDS].sort());
    for (const fact of built) expect(fact).toEqual(FACT_FIXTURES[fact.kind]);
  });

  it('put what the test is about in its place', () => {
    expect(facts.runPaused({ by: 'bob' })).toEqual({ ...FACT_FIXTURES.RunPaused, by: 'bob' });
  });
});

describe('the command builders', () => {
  it('ask for the fact of the same content', () => {
    expect(decide(commands.requestRun(), fold([]))).toEqual([facts.runRequested()]);
    expect(decide(commands.requestTool(), fold(aRunIn('RUNNING')))).toEqual([facts.toolRequested()]);
  });

  it('speak of one run unless told otherwise', () => {
    const runId = RunId.parse('01JD00000000000000000000ZZ');
    expect(commands.cancelRun()).toMatchObject(commands.aRunRef);
    expect(commands.cancelRun({ runId })).toMatchObject({ ...commands.aRunRef, runId });
  });

  it('are named after their command', () => {
    const { aRunRef, ...builders } = commands;
    for (const [name, build] of Object.entries<() => RunCommand>(builders)) {
      expect(build().kind).toBe(name.charAt(0).toUpperCase() + name.slice(1));
    }
  });
});

describe('a task', () => {
  it('takes node and iteration from its key', () => {
    expect(aTask()).toEqual(FACT_FIXTURES.NodeScheduled.tasks[0]);
    expect(aTask('2/sub[1]>3/work[0]')).toMatchObject({ node: 'work', iteration: 3 });
    expect(() => aTask('plan')).toThrow(TypeError);
  });

  it('has a speaker who fits every fact of a node', () => {
    expect(FACT_FIXTURES.TokenDelta).toMatchObject(speakerOf());
    expect(speakerOf('2/write', 3)).toMatchObject({ taskKey: '2/write', node: 'write', iteration: 2, attempt: 3 });
  });

  it('may ask more than once', () => {
    expect(requestIdOf(5)).toBe(aRequestId);
    expect(requestIdOf(6)).not.toBe(aRequestId);
  });
});

describe('a history', () => {
  it.each([...RunStatus.options, 'ABSENT' as const])('comes to %s', (status) => {
    expect(statusOf(fold(aRunIn(status)))).toBe(status);
  });

  it('is stored with gapless numbers, and a sequence for what is public', () => {
    const events = stored([facts.runRequested(), facts.runStarted(), facts.nodeScheduled(), facts.nodeStarted()]);
    expect(events.map(({ position }) => position)).toEqual([0, 1, 2, 3]);
    expect(events.map((event) => 'sequence' in event && event.sequence)).toEqual([false, 0, false, 1]);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(4);
    expect(events.map(parseRunEvent)).toEqual(events);
  });

  it('has other event ids in another run', () => {
    const elsewhere = { ...commands.aRunRef, runId: RunId.parse('01JD00000000000000000000ZZ') };
    const [here] = stored([facts.runRequested()]);
    const [there] = stored([facts.runRequested()], elsewhere);
    expect(there).toMatchObject(elsewhere);
    expect(there?.eventId).not.toBe(here?.eventId);
  });
});

describe('the recorded histories', () => {
  it('are those that have a script', () => {
    expect(recordedHistories()).toEqual(Object.keys(HISTORY_SCRIPTS).sort());
  });

  it.each(recordedHistories())('%s parses and counts without gaps', (name) => {
    const events = recordedHistory(name);
    const numbered = events.flatMap((event) => ('sequence' in event ? [event.sequence] : []));
    expect(events.map(({ position }) => position)).toEqual([...events.keys()]);
    expect(numbered).toEqual([...numbered.keys()]);
  });

  it('are not recorded from a script with an order that is refused', () => {
    expect(() => recordHistory([commands.startRun()])).toThrow(/No such run/);
  });
});
