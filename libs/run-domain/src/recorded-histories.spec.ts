import { describe, expect, it } from '@jest/globals';
import { recordedHistories, recordedHistory } from '@millrace/testing';
import { fold, openInputs, openTasks, openTools, toolsUsed, type Run } from './index.js';

const summaryOf = (run: Run) => ({
  status: run.status,
  policy: 'policy' in run ? `${run.policy} ${run.policyVersion}` : undefined,
  goalAchieved: 'goalAchieved' in run && run.goalAchieved,
  openTasks: openTasks(run).map(({ key, state, attempt, failures }) => `${key} ${state.name} ${attempt} ${failures}`),
  finishedTasks: 'work' in run ? run.work?.finishedTasks.size : undefined,
  checkpoint: 'work' in run ? run.work?.checkpoint : undefined,
  openTools: openTools(run).length,
  openInputs: openInputs(run).length,
  toolsUsed: toolsUsed(run),
});

/** What the histories came to when they were recorded. They must come to the same for ever. */
const CAME_TO: { readonly [name: string]: ReturnType<typeof summaryOf> } = {
  'one-node-finished': {
    status: 'SUCCEEDED',
    policy: 'default 1',
    goalAchieved: false,
    openTasks: [],
    finishedTasks: 1,
    checkpoint: -1,
    openTools: 0,
    openInputs: 0,
    toolsUsed: [],
  },
  'moved-by-one-worker': {
    status: 'SUCCEEDED',
    policy: 'default 1',
    goalAchieved: false,
    openTasks: [],
    finishedTasks: 3,
    checkpoint: 2,
    openTools: 0,
    openInputs: 0,
    toolsUsed: [],
  },
  'improves-another': {
    status: 'SUCCEEDED',
    policy: 'default 1',
    goalAchieved: false,
    openTasks: [],
    finishedTasks: 1,
    checkpoint: -1,
    openTools: 0,
    openInputs: 0,
    toolsUsed: [],
  },
  'retried-approved-canceled': {
    status: 'CANCELED',
    policy: 'careful 2',
    goalAchieved: false,
    openTasks: ['2/write[0] STARTED 1 0'],
    finishedTasks: 2,
    checkpoint: 1,
    openTools: 0,
    openInputs: 0,
    toolsUsed: ['delete_page', 'search'],
  },
  'expired-and-failed': {
    status: 'FAILED',
    policy: 'default 1',
    goalAchieved: true,
    openTasks: ['1/plan STARTED 3 1'],
    finishedTasks: 0,
    checkpoint: -1,
    openTools: 0,
    openInputs: 0,
    toolsUsed: ['search'],
  },
};

describe('a recorded history', () => {
  it.each(recordedHistories())('%s folds to what it came to', (name) => {
    expect(summaryOf(fold(recordedHistory(name)))).toEqual(CAME_TO[name]);
  });
});
