import { describe, expect, it } from '@jest/globals';
import { aRunRef, runQueued, runRequested, runStarted, stored } from '@millrace/testing';
import { aRunId, RunId } from '@millrace/contracts';
import { PlaceIndex } from '@millrace/ports';
import { FedRuns } from './fed-runs.js';

const history = stored([runRequested(), runQueued(), runStarted()]);
const [requested, queued, started] = history;

const fed = (...events: (typeof history)[number][]): FedRuns => {
  const runs = new FedRuns();
  events.forEach((event, at) => runs.evolve(event, 10 * (at + 1)));
  return runs;
};

describe('The requests the feed brought', () => {
  it('are at hand until the feed says more of their run', () => {
    expect(fed(requested!).of(aRunRef)).toEqual({
      events: [requested],
      tail: { position: 0, sequence: -1, streamSequence: 10, places: PlaceIndex.first },
    });
    expect(fed(requested!, queued!).of(aRunRef)).toBeUndefined();
    expect(fed(requested!, started!).of(aRunRef)).toBeUndefined();
    expect(fed(queued!).of(aRunRef)).toBeUndefined();
  });

  it('are the last few, and none that is large', () => {
    const runs = fed(requested!);
    for (let count = 0; count < 64; count += 1) {
      const runId = RunId.parse(`01JE${count.toString().padStart(22, '0')}`);
      runs.evolve({ ...requested!, runId }, 100 + count);
    }
    expect(runs.of({ ...aRunRef, runId: aRunId })).toBeUndefined();
    const [large] = stored([runRequested({ input: 'x'.repeat(20_000) })]);
    expect(fed(large!).of(aRunRef)).toBeUndefined();
  });
});
