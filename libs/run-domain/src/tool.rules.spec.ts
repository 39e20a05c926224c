import { describe, expect, it } from '@jest/globals';
import { aTaskKey, isPublic } from '@millrace/contracts';
import {
  aCancelingRun,
  aPausedRun,
  aRunningRun,
  aRunUsingATool,
  aTask,
  aWorkedRun,
  finishNode,
  finishTool,
  inputProvided,
  inputRequested,
  nodeFinished,
  nodeRetryScheduled,
  nodeScheduled,
  nodeStarted,
  nodeSuspended,
  progressTool,
  requestTool,
  runCanceled,
  runCancelRequested,
  speakerOf,
  specFor,
  toolFinished,
  toolProgressed,
  toolRequested,
} from '@millrace/testing';
import { fold, openTools, runDecider, toolsUsed } from './index.js';

const given = specFor(runDecider);

const second = speakerOf(aTaskKey, 2);
const interrupted = toolFinished({ ok: false, output: undefined, error: 'interrupted' });

describe('RequestTool', () => {
  it('records the intent before the call', () => {
    given(...aRunningRun())
      .when(requestTool())
      .then(toolRequested());
    given(...aPausedRun())
      .when(requestTool())
      .then(toolRequested());
  });

  it('changes nothing when two paths report the same call', () => {
    given(...aRunUsingATool())
      .when(requestTool())
      .thenNothing();
  });

  it('changes nothing when a later attempt comes to the same call, answered or not', () => {
    given(...aRunUsingATool(), nodeStarted(second))
      .when(requestTool(second))
      .thenNothing();
    given(...aRunUsingATool(), toolFinished(), nodeStarted(second))
      .when(requestTool(second))
      .thenNothing();
    given(...aRunUsingATool(), nodeRetryScheduled(), nodeStarted(second))
      .when(requestTool(second))
      .thenNothing();
  });

  it('is refused when the id belongs to another tool or another task', () => {
    given(...aRunUsingATool())
      .when(requestTool({ tool: 'write_page' }))
      .thenRefused('TOOL_CONFLICT');
    const other = speakerOf('1/write');
    given(...aRunUsingATool(), nodeScheduled({ tasks: [aTask('1/write')] }), nodeStarted(other))
      .when(requestTool(other))
      .thenRefused('TOOL_CONFLICT');
  });

  it('refuses a worker that slept, so that it does not make the call', () => {
    given(...aRunningRun(), nodeStarted(second))
      .when(requestTool())
      .thenRefused('ATTEMPT_SUPERSEDED');
    given(...aRunUsingATool(), nodeStarted(second))
      .when(requestTool())
      .thenRefused('ATTEMPT_SUPERSEDED');
    given(...aWorkedRun())
      .when(requestTool())
      .thenRefused('TASK_FINISHED');
  });

  it('is refused once somebody wants the run to end', () => {
    given(...aCancelingRun())
      .when(requestTool())
      .thenRefused('RUN_CANCEL_REQUESTED');
  });
});

describe('ProgressTool', () => {
  it('is recorded as often as the tool reports', () => {
    given(...aRunUsingATool())
      .when(progressTool())
      .then(toolProgressed());
    given(...aRunUsingATool(), toolProgressed())
      .when(progressTool())
      .then(toolProgressed());
  });

  it('is refused before the request and after the response', () => {
    given(...aRunningRun())
      .when(progressTool())
      .thenRefused('TOOL_NOT_REQUESTED');
    given(...aRunUsingATool(), toolFinished())
      .when(progressTool())
      .thenRefused('TOOL_FINISHED');
  });

  it('refuses a worker that slept', () => {
    given(...aRunUsingATool(), nodeStarted(second))
      .when(progressTool())
      .thenRefused('ATTEMPT_SUPERSEDED');
  });
});

describe('FinishTool', () => {
  it('answers the request it names', () => {
    given(...aRunUsingATool())
      .when(finishTool())
      .then(toolFinished());
    const failed = { ok: false, output: undefined, error: 'no such page' };
    given(...aRunUsingATool())
      .when(finishTool(failed))
      .then(toolFinished(failed));
  });

  it('answers one of several calls and leaves the others open', () => {
    const history = [...aRunUsingATool(), toolRequested({ toolUseId: 't2' }), toolFinished()];
    expect(openTools(fold(history)).map(({ toolUseId }) => toolUseId)).toEqual(['t2']);
  });

  it('changes nothing when the call has its response: the first one stands', () => {
    given(...aRunUsingATool(), toolFinished())
      .when(finishTool({ output: 'another' }))
      .thenNothing();
    given(...aRunUsingATool(), toolFinished(), nodeStarted(second))
      .when(finishTool())
      .thenNothing();
    given(...aRunUsingATool(), interrupted, nodeFinished())
      .when(finishTool())
      .thenNothing();
    given(...aRunUsingATool(), runCancelRequested(), interrupted, runCanceled())
      .when(finishTool())
      .thenNothing();
  });

  it('is taken while the run is paused or being canceled', () => {
    given(...aPausedRun(), toolRequested())
      .when(finishTool())
      .then(toolFinished());
    given(...aRunUsingATool(), runCancelRequested())
      .when(finishTool())
      .then(toolFinished());
  });

  it('is given by the attempt that has taken over, not by the one that slept', () => {
    given(...aRunUsingATool(), nodeStarted(second))
      .when(finishTool())
      .thenRefused('ATTEMPT_SUPERSEDED');
    given(...aRunUsingATool(), nodeStarted(second))
      .when(finishTool(second))
      .then(toolFinished(second));
  });

  it('is refused for a call nobody requested, or of another tool', () => {
    given(...aRunningRun())
      .when(finishTool())
      .thenRefused('TOOL_NOT_REQUESTED');
    given(...aRunUsingATool())
      .when(finishTool({ tool: 'write_page' }))
      .thenRefused('TOOL_CONFLICT');
  });
});

describe('a tool that needs a person to approve it', () => {
  const request = { type: 'toolApproval', toolUseId: '1/plan#search-1', tool: 'search', input: {} } as const;
  const waiting = [
    ...aRunningRun(),
    toolRequested({ needsApproval: true }),
    inputRequested({ request }),
    nodeSuspended(),
  ];

  it('stays requested over the wait and is answered after it', () => {
    expect(openTools(fold(waiting))).toHaveLength(1);
    const approved = [...waiting, inputProvided({ response: { decision: 'approve' } }), nodeStarted(second)];
    given(...approved)
      .when(requestTool({ ...second, needsApproval: true }))
      .thenNothing();
    given(...approved)
      .when(finishTool(second))
      .then(toolFinished(second));
  });

  it('cannot be answered by anybody while it waits', () => {
    given(...waiting)
      .when(finishTool())
      .thenRefused('TASK_NOT_STARTED');
  });
});

describe('a tool that moves control between agents', () => {
  const transfer = { tool: 'transfer_to_critic', toolUseId: 't1' };

  it('is paired like every other, and none of it is public', () => {
    given(...aRunningRun())
      .when(requestTool(transfer))
      .then(toolRequested(transfer));
    given(...aRunningRun(), toolRequested(transfer))
      .when(finishNode())
      .then({ ...interrupted, ...transfer }, nodeFinished());
    expect([toolRequested(transfer), { ...interrupted, ...transfer }].some(isPublic)).toBe(false);
  });
});

describe('the tools a run has used', () => {
  it('are named once each, without those that only move control', () => {
    const history = [
      ...aRunUsingATool(),
      toolRequested({ toolUseId: 't2', tool: 'write_page' }),
      toolRequested({ toolUseId: 't3', tool: 'search' }),
      toolRequested({ toolUseId: 't4', tool: 'handoff_to_critic' }),
    ];
    expect(toolsUsed(fold(history))).toEqual(['search', 'write_page']);
    expect(toolsUsed(fold([]))).toEqual([]);
  });
});
