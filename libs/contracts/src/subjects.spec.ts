import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aRunId, aTaskKey, aTenantId, aThreadId, eventFixture, THREAD_CREATED_FIXTURE } from './fixtures.js';
import { RunId, type TenantId, type ThreadId } from './ids.js';
import { RUN_EVENT_KINDS } from './kinds.js';
import { parseSubject, runOfSubject, runOfTimer, subjects } from './subjects.js';

const HOSTILE_IDS = [
  '',
  '*',
  '>',
  '.',
  '..',
  'a.b',
  ' ',
  '\t',
  `${aRunId}\r\n`,
  `\n${aRunId}`,
  `${aRunId}\0`,
  `${aRunId} `,
  `${aRunId}.*`,
  `${aRunId}.>`,
  aRunId.toLowerCase(),
  aRunId.slice(1),
  `${aRunId}0`,
  'A'.repeat(5_000),
  '０１JD0000000000000000000002',
  '01JD000000000000000000000É',
  '$JS.API.STREAM.DELETE.RUNS',
  '_INBOX.abc',
  '../../etc/passwd',
  '__proto__',
];

const ulid = fc.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
const isUlid = (text: string): boolean => RunId.safeParse(text).success;

/** What a caller could make of an id if types were all that stood in the way. */
const everySubjectOf = (id: string): (() => string)[] => {
  const asTenant = { tenantId: id as TenantId, runId: aRunId, threadId: aThreadId };
  const asRun = { tenantId: aTenantId, runId: id as RunId, threadId: id as ThreadId };
  return [asTenant, asRun].flatMap((ref) => [
    () => subjects.run(ref),
    () => subjects.live(ref),
    () => subjects.event({ ...ref, kind: 'RunStarted' }),
    () => subjects.task({ ...ref, taskKey: aTaskKey }),
    () => subjects.thread(ref),
    () => subjects.threadEvent({ ...ref, kind: 'ThreadCreated' }),
  ]);
};

describe('a subject', () => {
  it.each(HOSTILE_IDS)('is never made from the id %j', (id) => {
    for (const make of everySubjectOf(id)) expect(make).toThrow();
  });

  it('is never made from anything but a ULID', () => {
    const anyText = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('.', '*', '>', ' ', '\n', '\0', '0', 'A', '$') }),
      // One character of a good id replaced: the nearest miss there is.
      fc.tuple(ulid, fc.nat(25), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })).map(([id, at, bad]) => {
        return id.slice(0, at) + bad + id.slice(at + 1);
      }),
    );
    fc.assert(
      fc.property(
        anyText.filter((text) => !isUlid(text)),
        (id) => {
          for (const make of everySubjectOf(id)) expect(make).toThrow();
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each(['*', '>', 'RunStarted.>', 'task.x', 'toString', '__proto__', ''])(
    'is never made for the kind %j',
    (kind) => {
      const hostile = { tenantId: aTenantId, runId: aRunId, kind: kind as 'RunStarted' };
      expect(() => subjects.event(hostile)).toThrow(TypeError);
      if (kind !== '*') expect(() => subjects.everyRun(hostile.kind)).toThrow(TypeError);
    },
  );

  it('carries any task key as one plain token', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), (taskKey) => {
        const subject = subjects.task({ tenantId: aTenantId, runId: aRunId, taskKey });
        expect(subject).toMatch(/^tenant\.[0-9A-Z]{26}\.run\.[0-9A-Z]{26}\.task\.[A-Za-z0-9_-]+$/);
      }),
    );
    expect(() => subjects.task({ tenantId: aTenantId, runId: aRunId, taskKey: '' })).toThrow();
    expect(() => subjects.task({ tenantId: aTenantId, runId: aRunId, taskKey: 'k'.repeat(5_000) })).toThrow();
  });
});

describe('parseSubject', () => {
  it.each(RUN_EVENT_KINDS)('reads back what was made for %s', (kind) => {
    const event = eventFixture(kind);
    const { tenantId, runId } = event;
    expect(parseSubject(subjects.event(event))).toEqual({ type: 'run', kind, tenantId, runId });
  });

  it('reads back what was made for any run', () => {
    fc.assert(
      fc.property(ulid, ulid, fc.constantFrom(...RUN_EVENT_KINDS), (tenant, run, kind) => {
        const ref = { tenantId: tenant as TenantId, runId: run as RunId };
        expect(parseSubject(subjects.event({ ...ref, kind }))).toEqual({ type: 'run', kind, ...ref });
      }),
    );
  });

  it('reads back what was made for a thread', () => {
    expect(parseSubject(subjects.threadEvent(THREAD_CREATED_FIXTURE))).toEqual({
      type: 'thread',
      kind: 'ThreadCreated',
      tenantId: aTenantId,
      threadId: aThreadId,
    });
  });

  it.each([
    '',
    'tenant',
    subjects.run({ tenantId: aTenantId, runId: aRunId }),
    subjects.live({ tenantId: aTenantId, runId: aRunId }),
    subjects.task({ tenantId: aTenantId, runId: aRunId, taskKey: aTaskKey }),
    subjects.everyRun(),
    subjects.everyRun('RunStarted'),
    `tenant.${aTenantId}.run.${aRunId}.RunExploded`,
    `tenant.${aTenantId}.run.${aRunId}.toString`,
    `tenant.${aTenantId}.run.${aRunId}.RunStarted.more`,
    `tenant.${aTenantId}.run.${aRunId}.ThreadCreated`,
    `tenant.${aTenantId}.thread.${aThreadId}.RunStarted`,
    `tenant.${aTenantId.toLowerCase()}.run.${aRunId}.RunStarted`,
    `tenant..run.${aRunId}.RunStarted`,
    '$JS.API.STREAM.INFO.RUNS',
  ])('knows no event in %j', (subject) => {
    expect(parseSubject(subject)).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (subject) => expect(parseSubject(subject)).toBeUndefined()));
  });
});

describe('The subject of a timer that rang', () => {
  const run = { tenantId: aTenantId, runId: aRunId };

  it('names its run, whatever the timer is called', () => {
    for (const name of ['deadline', 'a.b.>', 'ä/[0]']) expect(runOfTimer(subjects.timerDue(run, name))).toEqual(run);
  });

  it('is told from every other subject', () => {
    const due = subjects.timerDue(run, 'deadline');
    for (const subject of [
      subjects.timerSet(run, 'deadline'),
      `${due}.more`,
      'timer.due.x.y.z',
      'timer.due',
      'tenant.x',
    ]) {
      expect(runOfTimer(subject)).toBeUndefined();
    }
  });
});

describe('The run a subject belongs to', () => {
  const run = { tenantId: aTenantId, runId: aRunId };

  it('is told by events, known or not, by tasks and by timers', () => {
    for (const subject of [
      subjects.event({ ...run, kind: 'RunStarted' }),
      subjects.event({ ...run, kind: 'RunStarted' }).replace('RunStarted', 'RunTeleported'),
      subjects.run(run),
      subjects.runTask(run),
      subjects.timerDue(run, 'deadline'),
    ]) {
      expect(runOfSubject(subject)).toEqual(run);
    }
  });

  it('is told by no other', () => {
    for (const subject of [
      '',
      'tenant.x.run.y.RunStarted',
      `tenant.${aTenantId}.run.nobody.RunStarted`,
      `tenant.${aTenantId}.thread.${aThreadId}.ThreadCreated`,
      'timer.due.x.y.z',
    ]) {
      expect(runOfSubject(subject)).toBeUndefined();
    }
  });
});
