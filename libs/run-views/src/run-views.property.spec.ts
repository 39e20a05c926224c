import { describe, expect, it } from '@jest/globals';
import type { RunEvent } from '@millrace/contracts';
import { playRun, raceRun, stored } from '@millrace/testing';
import fc from 'fast-check';
import { keysTouched } from './keys-touched.js';
import type { RunRows } from './rows.js';
import { foldRun, foldRunRows, RunViews } from './run-views.js';

const numbers = fc.array(fc.nat(), { minLength: 20, maxLength: 400 });
/** What several actors make of a run, and what one makes of it who knows everything. */
const histories = fc.oneof(
  numbers.map((rolled) => raceRun(rolled).events),
  numbers.map((rolled) => stored(playRun(rolled).flatMap(({ facts }) => facts))),
);

/** As the projector does it: a new fold for each batch, which knows only the rows that the batch names. */
class StoredRows {
  rows: RunRows = foldRunRows([]);

  take(batch: readonly RunEvent[]): void {
    const { taskKeys, toolUseIds, requestIds } = keysTouched(batch);
    const views = new RunViews({
      run: this.rows.run,
      steps: this.rows.steps.filter(({ taskKey }) => taskKeys.includes(taskKey)),
      toolCalls: this.rows.toolCalls.filter(({ toolUseId }) => toolUseIds.includes(toolUseId)),
      inputRequests: this.rows.inputRequests.filter(({ requestId }) => requestIds.includes(requestId)),
    });
    for (const event of batch) views.take(event);
    this.#upsert(views.changes());
  }

  #upsert(changes: RunRows): void {
    const { rows } = this;
    this.rows = {
      run: changes.run ?? rows.run,
      steps: upserted(rows.steps, changes.steps, ({ taskKey }) => taskKey),
      messages: [...rows.messages, ...changes.messages],
      toolCalls: upserted(rows.toolCalls, changes.toolCalls, ({ toolUseId }) => toolUseId),
      inputRequests: upserted(rows.inputRequests, changes.inputRequests, ({ requestId }) => requestId),
      logs: [...rows.logs, ...changes.logs],
      trail: [...rows.trail, ...changes.trail],
      checkpoints: [...rows.checkpoints, ...changes.checkpoints],
      deadLetter: changes.deadLetter ?? rows.deadLetter,
    };
  }
}

const upserted = <Row>(rows: readonly Row[], changed: readonly Row[], keyOf: (row: Row) => string): Row[] => [
  ...new Map([...rows, ...changed].map((row) => [keyOf(row), row])).values(),
];

describe('The rows of a run', () => {
  it('are the same folded in one go, event by event, and in batches that know only the rows they name', () => {
    fc.assert(
      fc.property(histories, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (events, sizes) => {
        const whole = foldRunRows(events);
        const single = new StoredRows();
        for (const event of events) single.take([event]);
        expect(single.rows).toEqual(whole);

        const batched = new StoredRows();
        for (let at = 0, turn = 0; at < events.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          batched.take(events.slice(at, at + size));
          at += size;
        }
        expect(batched.rows).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });

  it('do not change when events come again, in whatever order', () => {
    fc.assert(
      fc.property(histories, fc.array(fc.nat()), (events, again) => {
        const views = new RunViews();
        for (const event of events) views.take(event);
        const rows = views.rows();
        for (const index of again) views.take(events[index % events.length] ?? events[0]!);
        expect(views.rows()).toEqual(rows);
      }),
      { numRuns: 60 },
    );
  });

  it('carry no trace of deltas', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const heard = events.filter(({ kind }) => kind !== 'TokenDelta' && kind !== 'ThoughtDelta');
        expect(foldRunRows(heard)).toEqual(foldRunRows(events));
      }),
      { numRuns: 60 },
    );
  });

  it('hold nothing a public client must not see in the trail, and each event once', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const { trail, messages } = foldRunRows(events);
        for (const line of trail) expect([line.sequence, line.text.length <= 500]).toEqual([expect.any(Number), true]);
        for (const rows of [trail, messages]) {
          const positions = rows.map(({ position }) => position);
          expect(positions).toEqual([...new Set(positions)].sort((left, right) => left - right));
        }
        expect(foldRun(events)?.lastPosition).toBeLessThan(events.length);
      }),
      { numRuns: 60 },
    );
  });
});
