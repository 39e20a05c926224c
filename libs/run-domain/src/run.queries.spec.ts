import { describe, expect, it } from '@jest/globals';
import { aRequestId, aTaskKey, RunStatus, TaskKey } from '@millrace/contracts';
import {
  anAnsweredRun,
  aQueuedRun,
  aRunIn,
  aRunRef,
  aRunningRun,
  aRunUsingATool,
  aSuspendedRun,
  aTask,
  inputRequested,
  nodeFinished,
  nodeScheduled,
  nodeStarted,
  nodeSuspended,
  requestIdOf,
  speakerOf,
  toolFinished,
  toolRequested,
} from '@millrace/testing';
import {
  fold,
  hasEnded,
  inputOf,
  openInputs,
  openTasks,
  openTools,
  RunRefused,
  taskOf,
  unansweredOf,
  type Run,
} from './index.js';

const many = Array.from({ length: 40 }, (_, index) => aTask(`2/write[${index}]`));

describe('a run', () => {
  it('has ended in three of its states', () => {
    expect(RunStatus.options.filter((status) => hasEnded(fold(aRunIn(status))))).toEqual([
      'SUCCEEDED',
      'FAILED',
      'CANCELED',
    ]);
  });

  it('has nothing open before it is dispatched', () => {
    const waiting = fold(aQueuedRun());
    expect([openTasks(waiting), openInputs(waiting), openTools(waiting)]).toEqual([[], [], []]);
    expect([taskOf(waiting, aTaskKey), inputOf(waiting, aRequestId)]).toEqual([undefined, undefined]);
  });

  it('lists its open tasks as they were scheduled', () => {
    const run = fold([...aRunningRun(), nodeScheduled({ tasks: many })]);
    expect(openTasks(run).map(({ key }) => key)).toEqual([aTaskKey, ...many.map(({ key }) => key)]);
    const rest = fold([...aRunningRun(), nodeScheduled({ tasks: many }), nodeFinished()]);
    expect(openTasks(rest).map(({ key }) => key)).toEqual(many.map(({ key }) => key));
  });

  it('knows a task open or finished', () => {
    const run = fold([...aRunningRun(), nodeScheduled({ tasks: many }), nodeFinished()]);
    expect(taskOf(run, aTaskKey)?.state.name).toBe('FINISHED');
    expect(taskOf(run, TaskKey.parse('2/write[3]'))?.state.name).toBe('SCHEDULED');
    expect(taskOf(run, TaskKey.parse('3/none'))).toBeUndefined();
  });

  it('lists its open requests as they were made', () => {
    const asked = [9, 8, 7, 6].map((number) => inputRequested({ requestId: requestIdOf(number) }));
    const run = fold([...aRunningRun(), ...asked]);
    expect(openInputs(run).map(({ requestId }) => requestId)).toEqual([9, 8, 7, 6].map(requestIdOf));
  });

  it('knows of a suspended task which answers it waits for', () => {
    const requestIds = [requestIdOf(5), requestIdOf(6)];
    const asked = [...aRunningRun(), inputRequested(), inputRequested({ requestId: requestIdOf(6) })];
    expect(waitsFor(fold([...asked, nodeSuspended({ requestIds })]))).toEqual(requestIds);
    expect(waitsFor(fold(aSuspendedRun()))).toEqual([aRequestId]);
    expect(waitsFor(fold(anAnsweredRun()))).toEqual([]);
    expect(waitsFor(fold(asked))).toEqual([]); // it has asked, and still works
  });

  it('lists its open tools task by task, each with what it takes to answer it', () => {
    const other = speakerOf('2/write[0]');
    const run = fold([
      ...aRunUsingATool(),
      nodeScheduled({ tasks: many }),
      nodeStarted(other),
      toolRequested({ ...other, toolUseId: 't3', tool: 'handoff_x', agentId: 'critic' }),
      toolRequested({ toolUseId: 't2' }),
      toolFinished(),
    ]);
    expect(openTools(run).map(({ task, ...call }) => ({ ...call, key: task.key }))).toEqual([
      { toolUseId: 't2', tool: 'search', agentId: 'echo', key: aTaskKey },
      { toolUseId: 't3', tool: 'handoff_x', agentId: 'critic', key: '2/write[0]' },
    ]);
  });
});

describe('a refusal', () => {
  it('names the run, the thing and what is wrong, and is not tried again', () => {
    const refused = new RunRefused('TASK_WAITING', aRunRef, 'task 1/plan');
    expect(refused).toMatchObject({ code: 'TASK_WAITING', redelivery: 'park' });
    expect(refused.message).toBe(`Run ${aRunRef.runId}, task 1/plan: The task waits for an answer that has not come.`);
    expect(new RunRefused('RUN_NOT_FOUND', aRunRef).message).toBe(`Run ${aRunRef.runId}: No such run.`);
  });
});

const waitsFor = (run: Run) => openTasks(run).flatMap((task) => unansweredOf(run, task));
