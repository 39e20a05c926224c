import { describe, expect, it } from '@jest/globals';
import type { RunSignal } from '@millrace/ports';
import { aNewRun, appendAll, requested, started, token } from './log-fixtures.js';
import { type Opened, until } from './platform-fixtures.js';

export const runSignalsRules = (opened: Opened): void => {
  describe('signals', () => {
    it('tell of the kinds that are listened to, and where they lie, whoever stored them', async () => {
      const heard: RunSignal[] = [];
      const stop = await opened().platform.signals.listen(['RunStarted', 'RunRequested'], (signal) => {
        heard.push(signal);
      });
      const run = aNewRun();
      const { runs } = (await opened().another()).platform;
      const first = await appendAll(runs, run, [requested()]);
      const second = await appendAll(runs, run, [started()], first.tail);
      await appendAll(runs, run, [token('not heard of')], second.tail);
      const own = () => heard.filter(({ run: { runId } }) => runId === run.runId);
      await until(() => own().length === 2);
      expect(own().toSorted((left, right) => left.place - right.place)).toEqual([
        { run, kind: 'RunRequested', place: first.tail.streamSequence },
        { run, kind: 'RunStarted', place: second.tail.streamSequence },
      ]);
      stop();
    });

    it('tell of one run alone when it is named, and of nothing once they are ended', async () => {
      const [run, other] = [aNewRun(), aNewRun()];
      const heard: RunSignal[] = [];
      const all: RunSignal[] = [];
      const { signals, runs } = opened().platform;
      const stop = await signals.listen(['TokenDelta'], (signal) => void heard.push(signal), run);
      const stopAll = await signals.listen(['TokenDelta'], (signal) => void all.push(signal));
      const { tail: otherTail } = await appendAll(runs, other, [token('1')]);
      const { tail } = await appendAll(runs, run, [token('1')]);
      await until(() => heard.length === 1);
      stop();
      await appendAll(runs, run, [token('2')], tail);
      await appendAll(runs, other, [token('2')], otherTail);
      await until(() => all.filter(({ run: { runId } }) => [run.runId, other.runId].includes(runId)).length === 4);
      stopAll();
      expect(heard).toEqual([{ run, kind: 'TokenDelta', place: tail.streamSequence }]);
    });
  });
};
