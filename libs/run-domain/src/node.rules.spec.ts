import { describe, expect, it } from '@jest/globals';
import { aTaskKey, type RunFact } from '@millrace/contracts';
import {
  aCancelingRun,
  aDispatchedRun,
  aFinishedRun,
  anAnsweredRun,
  anAskingRun,
  aPausedRun,
  aQueuedRun,
  aRetryingRun,
  aRunningRun,
  aRunUsingATool,
  aSuspendedRun,
  aTask,
  aWorkedRun,
  finishNode,
  graphEnded,
  inputExpired,
  inputProvided,
  inputRequested,
  nodeFinished,
  nodeRetryScheduled,
  nodeScheduled,
  nodeStarted,
  nodeSuspended,
  requestIdOf,
  runCancelRequested,
  runPaused,
  runResumed,
  scheduleNodes,
  scheduleRetry,
  speakerOf,
  specFor,
  startNode,
  suspendNode,
  toolFinished,
  toolRequested,
} from '@millrace/testing';
import { fold, runDecider, statusOf, taskOf } from './index.js';

const given = specFor(runDecider);

const second = speakerOf(aTaskKey, 2);
const third = speakerOf(aTaskKey, 3);

describe('ScheduleNodes', () => {
  it('records the tasks of one superstep together', () => {
    const tasks = [aTask('2/write[0]'), aTask('2/write[1]')];
    given(...aWorkedRun())
      .when(scheduleNodes({ tasks }))
      .then(nodeScheduled({ tasks }));
  });

  it('changes nothing when a replay schedules what is known, whatever its state', () => {
    for (const history of [aDispatchedRun(), aRunningRun(), aSuspendedRun(), aWorkedRun(), aFinishedRun()]) {
      given(...history)
        .when(scheduleNodes())
        .thenNothing();
    }
    given(...aPausedRun())
      .when(scheduleNodes())
      .thenNothing();
    given(...aCancelingRun())
      .when(scheduleNodes())
      .thenNothing();
  });

  it('records only what is new, and each task once', () => {
    given(...aDispatchedRun())
      .when(scheduleNodes({ tasks: [aTask('1/plan'), aTask('1/write'), aTask('1/write')] }))
      .then(nodeScheduled({ tasks: [aTask('1/write')] }));
  });

  it('is refused when a known task has another input or another node', () => {
    given(...aDispatchedRun())
      .when(scheduleNodes({ tasks: [{ ...aTask(), inputHash: 'other' }] }))
      .thenRefused('TASK_CONFLICT');
    given(...aWorkedRun())
      .when(scheduleNodes({ tasks: [{ ...aTask(), node: 'other' }] }))
      .thenRefused('TASK_CONFLICT');
    given(...aDispatchedRun())
      .when(scheduleNodes({ tasks: [aTask('1/write'), { ...aTask('1/write'), inputHash: 'other' }] }))
      .thenRefused('TASK_CONFLICT');
  });

  it('is refused where nothing may begin', () => {
    const next = scheduleNodes({ tasks: [aTask('2/write')] });
    given(...aQueuedRun())
      .when(next)
      .thenRefused('RUN_NOT_STARTED');
    given(...aPausedRun())
      .when(next)
      .thenRefused('RUN_PAUSED');
    given(...aCancelingRun())
      .when(next)
      .thenRefused('RUN_CANCEL_REQUESTED');
    given(...aFinishedRun())
      .when(next)
      .thenRefused('RUN_ENDED');
  });
});

describe('StartNode of a step of one node', () => {
  const alone = { scheduled: { inputHash: aTask().inputHash } };
  const next = { ...speakerOf('2/write'), scheduled: { inputHash: 'y' } };

  it('schedules the task with its first start', () => {
    given(...aWorkedRun())
      .when(startNode(next))
      .then(nodeStarted(next));
    const task = taskOf(fold([...aWorkedRun(), nodeStarted(next)]), next.taskKey);
    expect(task).toMatchObject({ inputHash: 'y', attempt: 1, isAlone: true, state: { name: 'STARTED' } });
  });

  it('is a start like any other once the task is known', () => {
    given(...aRunningRun())
      .when(startNode({ ...second, ...alone }))
      .then(nodeStarted(second));
    given(...aRunningRun())
      .when(startNode(alone))
      .thenRefused('ATTEMPT_SUPERSEDED');
    given(...aWorkedRun())
      .when(startNode({ ...second, ...alone }))
      .thenRefused('TASK_FINISHED');
  });

  it('is refused when the log has another node or another input', () => {
    given(...aRunningRun())
      .when(startNode({ ...second, scheduled: { inputHash: 'other' } }))
      .thenRefused('TASK_CONFLICT');
    given(...aRunningRun())
      .when(startNode({ ...second, ...alone, node: 'other' }))
      .thenRefused('TASK_CONFLICT');
  });

  it('is refused for a second attempt of what had no first, and where nothing may begin', () => {
    given(...aWorkedRun())
      .when(startNode({ ...next, attempt: 2 }))
      .thenRefused('ATTEMPT_INVALID');
    given(...aWorkedRun(), graphEnded())
      .when(startNode(next))
      .thenRefused('ATTEMPT_SUPERSEDED');
    given(...aPausedRun())
      .when(startNode(next))
      .thenRefused('RUN_PAUSED');
    given(...aCancelingRun())
      .when(startNode(next))
      .thenRefused('RUN_CANCEL_REQUESTED');
    given(...aQueuedRun())
      .when(startNode(next))
      .thenRefused('RUN_NOT_STARTED');
  });
});

describe('StartNode', () => {
  it('takes a scheduled task, and the run runs', () => {
    given(...aDispatchedRun())
      .when(startNode())
      .then(nodeStarted());
    expect(statusOf(fold(aRunningRun()))).toBe('RUNNING');
  });

  it('takes a task over from a worker that is thought dead', () => {
    given(...aRunningRun())
      .when(startNode(second))
      .then(nodeStarted(second));
  });

  it('takes a task that is to be tried again', () => {
    given(...aRetryingRun())
      .when(startNode(second))
      .then(nodeStarted(second));
  });

  it('refuses the second of two workers that take the same attempt', () => {
    given(...aRunningRun())
      .when(startNode())
      .thenRefused('ATTEMPT_SUPERSEDED');
    given(...aRunningRun(), nodeStarted(second))
      .when(startNode(second))
      .thenRefused('ATTEMPT_SUPERSEDED');
  });

  it('refuses an attempt that leaves one out', () => {
    given(...aDispatchedRun())
      .when(startNode(second))
      .thenRefused('ATTEMPT_INVALID');
    given(...aRunningRun())
      .when(startNode(third))
      .thenRefused('ATTEMPT_INVALID');
  });

  it('never runs finished work again', () => {
    given(...aWorkedRun())
      .when(startNode(second))
      .thenRefused('TASK_FINISHED');
  });

  it('is refused for a task nobody scheduled, or one of another node', () => {
    given(...aDispatchedRun())
      .when(startNode(speakerOf('2/write')))
      .thenRefused('TASK_NOT_FOUND');
    given(...aDispatchedRun())
      .when(startNode({ node: 'write' }))
      .thenRefused('TASK_CONFLICT');
  });

  it('is refused once somebody wants the run to end: no further node begins', () => {
    given(...aDispatchedRun(), runCancelRequested())
      .when(startNode())
      .thenRefused('RUN_CANCEL_REQUESTED');
    given(...aCancelingRun())
      .when(startNode(second))
      .thenRefused('RUN_CANCEL_REQUESTED');
  });

  it('waits while the run is paused', () => {
    given(...aRetryingRun(), runPaused())
      .when(startNode(second))
      .thenRefused('RUN_PAUSED');
    given(...aRetryingRun(), runPaused(), runResumed())
      .when(startNode(second))
      .then(nodeStarted(second));
  });

  it('waits until a suspended task has all its answers', () => {
    const two = [requestIdOf(5), requestIdOf(6)];
    const asked = [...anAskingRun(), inputRequested({ requestId: requestIdOf(6) }), nodeSuspended({ requestIds: two })];
    given(...asked)
      .when(startNode(second))
      .thenRefused('TASK_WAITING');
    given(...asked, inputProvided())
      .when(startNode(second))
      .thenRefused('TASK_WAITING');
    given(...asked, inputProvided(), inputProvided({ requestId: requestIdOf(6) }))
      .when(startNode(second))
      .then(nodeStarted({ ...second, continues: true }));
  });

  it('goes on after a wait that nobody answered in time', () => {
    given(...aSuspendedRun(), inputExpired())
      .when(startNode(second))
      .then(nodeStarted({ ...second, continues: true }));
  });

  it('goes on when the answer came before the task was suspended', () => {
    given(...anAskingRun(), inputProvided(), nodeSuspended())
      .when(startNode(second))
      .then(nodeStarted({ ...second, continues: true }));
  });

  it('counts the workers that died over a task, and not its retries and waits', () => {
    const deaths = (...history: RunFact[]) => {
      const task = taskOf(fold(history), aTaskKey);
      return task && 'deaths' in task ? task.deaths : undefined;
    };
    expect(deaths(...aRunningRun())).toBe(0);
    expect(deaths(...aRunningRun(), nodeStarted(second), nodeStarted(third))).toBe(2);
    expect(deaths(...aRetryingRun(), nodeStarted(second))).toBe(0);
    expect(deaths(...aSuspendedRun(), inputProvided(), nodeStarted({ ...second, continues: true }))).toBe(0);
  });

  it('starts anew, and says so, after a crash that came after a wait', () => {
    given(...anAnsweredRun(), nodeStarted({ ...second, continues: true }))
      .when(startNode(third))
      .then(nodeStarted(third));
  });

  it('is not held by what another task asked', () => {
    given(...aSuspendedRun(), nodeScheduled({ tasks: [aTask('1/write')] }))
      .when(startNode(speakerOf('1/write')))
      .then(nodeStarted(speakerOf('1/write')));
  });
});

describe('FinishNode', () => {
  it.each(['SUCCESS', 'FAILURE', 'SKIPPED'] as const)('records a %s', (result) => {
    given(...aRunningRun())
      .when(finishNode({ result }))
      .then(nodeFinished({ result }));
  });

  it('records what was done also while the run is paused or being canceled', () => {
    given(...aPausedRun())
      .when(finishNode())
      .then(nodeFinished());
    given(...aCancelingRun())
      .when(finishNode())
      .then(nodeFinished());
  });

  it('changes nothing when the same attempt reports again', () => {
    given(...aWorkedRun())
      .when(finishNode())
      .thenNothing();
    given(...aFinishedRun())
      .when(finishNode())
      .thenNothing();
  });

  it('refuses a worker that slept while another took its task over', () => {
    given(...aRunningRun(), nodeStarted(second))
      .when(finishNode())
      .thenRefused('ATTEMPT_SUPERSEDED');
    given(...aRunningRun(), nodeStarted(second), nodeFinished(second))
      .when(finishNode())
      .thenRefused('TASK_FINISHED');
  });

  it('refuses an attempt that does not hold the task', () => {
    given(...aDispatchedRun())
      .when(finishNode())
      .thenRefused('TASK_NOT_STARTED');
    given(...aRunningRun())
      .when(finishNode(second))
      .thenRefused('TASK_NOT_STARTED');
    given(...aRetryingRun())
      .when(finishNode())
      .thenRefused('TASK_NOT_STARTED');
    given(...aSuspendedRun())
      .when(finishNode())
      .thenRefused('TASK_NOT_STARTED');
  });

  it('answers the tools it leaves open first', () => {
    const interrupted = toolFinished({ ok: false, output: undefined, error: 'interrupted' });
    given(...aRunUsingATool())
      .when(finishNode())
      .then(interrupted, nodeFinished());
    given(...aRunUsingATool(), interrupted)
      .when(finishNode())
      .then(nodeFinished());
  });

  it('leaves the tools of other tasks alone', () => {
    const other = speakerOf('1/write');
    given(
      ...aRunningRun(),
      nodeScheduled({ tasks: [aTask('1/write')] }),
      nodeStarted(other),
      toolRequested({ ...other, toolUseId: 't2' }),
    )
      .when(finishNode())
      .then(nodeFinished());
  });
});

describe('ScheduleRetry', () => {
  it('releases the task until it is tried again', () => {
    given(...aRunningRun())
      .when(scheduleRetry())
      .then(nodeRetryScheduled());
    expect(taskOf(fold(aRetryingRun()), aTaskKey)).toMatchObject({
      state: { name: 'RETRYING', retryAt: '2026-01-12T10:00:02.000Z' },
      attempt: 1,
      failures: 1,
    });
  });

  it('counts failures, and no start after a crash', () => {
    const twice = [...aRunningRun(), nodeStarted(second), nodeRetryScheduled(second)];
    expect(taskOf(fold(twice), aTaskKey)).toMatchObject({ attempt: 2, failures: 1 });
  });

  it('changes nothing when repeated', () => {
    given(...aRetryingRun())
      .when(scheduleRetry())
      .thenNothing();
    given(...aRetryingRun(), runCancelRequested())
      .when(scheduleRetry())
      .thenNothing();
  });

  it('is taken while the run is paused', () => {
    given(...aPausedRun())
      .when(scheduleRetry())
      .then(nodeRetryScheduled());
  });

  it('is refused once somebody wants the run to end', () => {
    given(...aCancelingRun())
      .when(scheduleRetry())
      .thenRefused('RUN_CANCEL_REQUESTED');
  });

  it('refuses a worker that slept', () => {
    given(...aRetryingRun(), nodeStarted(second))
      .when(scheduleRetry())
      .thenRefused('ATTEMPT_SUPERSEDED');
  });
});

describe('SuspendNode', () => {
  it('releases the task until its requests are answered, and leaves the run as it is', () => {
    given(...anAskingRun())
      .when(suspendNode())
      .then(nodeSuspended());
    expect(statusOf(fold(aSuspendedRun()))).toBe('RUNNING');
  });

  it('changes nothing when repeated', () => {
    given(...aSuspendedRun())
      .when(suspendNode())
      .thenNothing();
    given(...anAnsweredRun())
      .when(suspendNode())
      .thenNothing();
  });

  it('is taken when the answer was faster', () => {
    given(...anAskingRun(), inputProvided())
      .when(suspendNode())
      .then(nodeSuspended());
  });

  it('is refused for a request nobody made, or another task made', () => {
    given(...aRunningRun())
      .when(suspendNode())
      .thenRefused('INPUT_NOT_FOUND');
    const other = speakerOf('1/write');
    given(...anAskingRun(), nodeScheduled({ tasks: [aTask('1/write')] }), nodeStarted(other))
      .when(suspendNode(other))
      .thenRefused('INPUT_NOT_FOUND');
  });

  it('refuses a worker that slept', () => {
    given(...anAskingRun(), nodeStarted(second))
      .when(suspendNode())
      .thenRefused('ATTEMPT_SUPERSEDED');
    given(...anAnsweredRun(), nodeStarted(second))
      .when(suspendNode())
      .thenRefused('ATTEMPT_SUPERSEDED');
  });
});
