import { describe, expect, it } from '@jest/globals';
import { type RunRef, runOfTimer } from '@millrace/contracts';
import { done } from '@millrace/ports';
import { aNewRun } from './log-fixtures.js';
import { consumeWith, type Opened, until } from './platform-fixtures.js';

export const timersRules = (opened: Opened): void => {
  const nowMs = () => opened().platform.clock.now().getTime();
  const listen = async (...runs: RunRef[]) => {
    const rung: { run: RunRef; atMs: number }[] = [];
    const consuming = await consumeWith(opened(), 'orchestrator-timers', async ({ subject }) => {
      const run = runs.find(({ runId }) => runId === runOfTimer(subject)?.runId);
      if (run) rung.push({ run, atMs: nowMs() });
      return done;
    });
    return { rung, stop: consuming.stop };
  };

  describe('a timer', () => {
    it('rings for its run, not before its time, and at once when that has passed', async () => {
      const run = aNewRun();
      const { rung, stop } = await listen(run);
      const dueAtMs = nowMs() + 2_000;
      await opened().platform.timers.set(run, 'deadline.>', new Date(dueAtMs));
      await opened().platform.timers.set(run, 'past', new Date(nowMs() - 60_000));
      await until(() => rung.length === 2);
      await stop();
      expect(rung.map((each) => each.run)).toEqual([run, run]);
      expect(rung[1]!.atMs).toBeGreaterThanOrEqual(Math.floor(dueAtMs / 1_000) * 1_000); // servers count in seconds
    });

    it('that is set again rings once, at its new time', async () => {
      const [run, last] = [aNewRun(), aNewRun()];
      const { rung, stop } = await listen(run, last);
      const { timers } = opened().platform;
      await timers.set(run, 'deadline', new Date(nowMs() + 3_600_000));
      await timers.set(run, 'deadline', new Date(nowMs() + 1_000));
      await until(() => rung.length === 1);
      await timers.set(last, 'other', new Date(nowMs() - 1_000));
      await until(() => rung.length === 2);
      await stop();
      expect(rung.map((each) => each.run)).toEqual([run, last]);
    });
  });
};
