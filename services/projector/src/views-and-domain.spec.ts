import { describe, expect, it } from '@jest/globals';
import type { TaskKey } from '@millrace/contracts';
import { fold, openInputs, openTools, statusOf, taskOf, toolsUsed, type Task } from '@millrace/run-domain';
import { foldRunRows, type StepRow } from '@millrace/run-views';
import { playRun, raceRun, stored } from '@millrace/testing';
import fc from 'fast-check';

const numbers = fc.array(fc.nat(), { minLength: 20, maxLength: 400 });
const histories = fc.oneof(
  numbers.map((rolled) => raceRun(rolled).events),
  numbers.map((rolled) => stored(playRun(rolled).flatMap(({ facts }) => facts))),
);

/** The views know nothing of the domain, because a browser folds them as well: here the two are held together. */
describe('The read models', () => {
  it('say of the run, its steps, its calls and its questions what the domain says, after every event', () => {
    fc.assert(
      fc.property(histories, fc.nat(), (events, cut) => {
        const history = events.slice(0, cut % (events.length + 1));
        const run = fold(history);
        const rows = foldRunRows(history);
        expect(rows.run?.status ?? 'ABSENT').toBe(statusOf(run));
        if (run.status === 'ABSENT') return;
        expect(rows.run).toMatchObject({ policy: run.policy, policyVersion: run.policyVersion });
        expect(rows.run?.goalAchieved).toBe(run.goalAchieved);
        if (run.status !== 'SUCCEEDED') expect(rows.run?.toolsUsed).toEqual(toolsUsed(run));
        for (const step of rows.steps) {
          const task = taskOf(run, step.taskKey as TaskKey);
          expect([step.status, step.attempt]).toEqual([task && statusOfTask(task), task?.attempt]);
        }
        const open = rows.inputRequests.filter(({ status }) => status === 'open');
        expect(open.map(({ requestId }) => requestId)).toEqual(openInputs(run).map(({ requestId }) => requestId));
        const calls = rows.toolCalls.filter(({ status }) => status === 'open').map(({ toolUseId }) => toolUseId);
        expect(calls.sort()).toEqual(
          openTools(run)
            .map(({ toolUseId }) => toolUseId)
            .sort(),
        );
      }),
      { numRuns: 300 },
    );
  });
});

const statusOfTask = (task: Task): StepRow['status'] => {
  switch (task.state.name) {
    case 'SCHEDULED':
    case 'RETRYING':
      return task.state.name;
    case 'STARTED':
      return 'RUNNING';
    case 'SUSPENDED':
      return 'WAITING';
    case 'FINISHED':
      return task.state.result;
  }
};
