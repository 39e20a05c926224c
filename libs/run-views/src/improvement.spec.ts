import { describe, expect, it } from '@jest/globals';
import { aRunId, type RunFact, RunImprovement } from '@millrace/contracts';
import * as a from '@millrace/testing';
import { improvementHints } from './improvement.js';

const hintsOf = (...facts: RunFact[]) => improvementHints(a.stored(facts));

const HUGE = 'x'.repeat(100_000);

describe('What is told to improve a run', () => {
  it('is what was asked, what happened, and how it ended', () => {
    const { summary } = hintsOf(...a.aFailedRun());
    expect(summary.split('\n')).toEqual([
      'Asked echo: hello',
      'Started echo 1',
      'plan: failed: overloaded',
      'Failed (MAX_RETRIES_EXCEEDED): The model did not answer.',
    ]);
  });

  it('names the errors, oldest first, with where and why', () => {
    const { recentErrors } = hintsOf(
      ...a.aRunningRun(),
      a.logWritten({ level: 'info', message: 'fine' }),
      a.logWritten({ level: 'error', message: 'no water' }),
      a.toolRequested(),
      a.toolFinished({ ok: false, output: undefined, error: 'jammed' }),
      a.subagentFailed({ error: 'tired' }),
      a.nodeRetryScheduled({ error: { message: 'once\nmore', code: 'BUSY' } }),
      a.runFailed(),
    );
    expect(recentErrors.map(({ message, code, node }) => [message, code, node])).toEqual([
      ['no water', undefined, 'plan'],
      ['search: jammed', undefined, 'plan'],
      [expect.stringMatching(/: tired$/), undefined, 'plan'],
      ['once more', 'BUSY', 'plan'],
      ['The model did not answer.', 'MAX_RETRIES_EXCEEDED', undefined],
    ]);
  });

  it('says which advice there was already', () => {
    const { summary } = hintsOf(a.runRequested(), a.improvementProvided({ improvement: 'Ask for less.' }));
    expect(summary).toContain('Advice it had: Ask for less.');
  });

  it('leaves out the oldest lines when not all fit, and never what was asked or how it ended', () => {
    const line = (at: number) => a.messageAdded({ content: `${at} ${HUGE}` });
    const { summary } = hintsOf(
      a.runRequested({ input: { text: HUGE } }),
      a.improvementProvided({ improvement: HUGE.slice(0, 10_000) }),
      ...Array.from({ length: 24 }, (_, at) => line(at)),
      a.runFailed({ reason: 'No water.', errorCode: 'DRY' }),
    );
    const [asked, advice, cut, ...trail] = summary.split('\n');
    expect([asked, advice]).toEqual([
      expect.stringMatching(/^Asked echo: x+…$/),
      expect.stringMatching(/^Advice it had: x+…$/),
    ]);
    expect([cut, trail.at(-1)]).toEqual(['…', 'Failed (DRY): No water.']);
    expect(trail.at(-2)).toMatch(/ 23 x+…$/);
    expect(summary.length).toBeGreaterThan(3_800);
    expect(summary.length).toBeLessThanOrEqual(4_000);
  });

  it('stays within its bounds whatever the run: many events, and large ones', () => {
    const many = Array.from({ length: 5_000 }, () => a.logWritten({ level: 'error', message: HUGE.slice(0, 2_000) }));
    const hints = hintsOf(
      a.runRequested({ input: { text: HUGE } }),
      a.runStarted(),
      a.improvementProvided({ improvement: HUGE.slice(0, 10_000) }),
      ...many,
      ...Array.from({ length: 50 }, () => a.messageAdded({ content: `\ud800${HUGE}` })),
      a.runFailed({ reason: HUGE, errorCode: HUGE }),
    );
    expect(JSON.stringify(hints).length).toBeLessThan(10_000);
    expect(hints.summary.split('\n').slice(0, 4)).toMatchObject([
      expect.stringMatching(/^Asked echo: x+…$/),
      expect.stringMatching(/^Advice it had: x+…$/),
      '…',
      expect.stringMatching(/x…$/),
    ]);
    const answer = { runId: aRunId, agent: 'echo', status: 'FAILED', ...hints };
    expect(RunImprovement.safeParse(answer).error?.issues ?? []).toEqual([]);
    expect(JSON.stringify(hints).isWellFormed()).toBe(true);
  });
});
