import { describe, expect, it } from '@jest/globals';
import { aRequestId, aTaskKey } from '@millrace/contracts';
import {
  aCanceledRun,
  aCancelingRun,
  aFinishedRun,
  anAnsweredRun,
  anAskingRun,
  aQueuedRun,
  aRunningRun,
  aSuspendedRun,
  aTask,
  expireInput,
  goalAchieved,
  inputExpired,
  inputProvided,
  inputRequested,
  nodeScheduled,
  nodeStarted,
  provideInput,
  requestIdOf,
  requestInput,
  runCanceled,
  runCancelRequested,
  runFailed,
  runFinished,
  runPaused,
  speakerOf,
  specFor,
} from '@millrace/testing';
import { fold, inputOf, openInputs, runDecider, statusOf } from './index.js';

const given = specFor(runDecider);

const second = speakerOf(aTaskKey, 2);

describe('RequestInput', () => {
  it('is recorded, and the run goes on', () => {
    given(...aRunningRun())
      .when(requestInput())
      .then(inputRequested());
    expect(statusOf(fold(anAskingRun()))).toBe('RUNNING');
  });

  it('may stand beside other requests, of the same node or of another', () => {
    const other = speakerOf('1/write');
    const history = [...anAskingRun(), nodeScheduled({ tasks: [aTask('1/write')] }), nodeStarted(other)];
    const more = { requestId: requestIdOf(6), request: { type: 'queryConsent', question: 'Go on?' } } as const;
    given(...history)
      .when(requestInput(more))
      .then(inputRequested(more));
    given(...history)
      .when(requestInput({ ...other, ...more }))
      .then(inputRequested({ ...other, ...more }));
    expect(openInputs(fold([...history, inputRequested(more)])).map(({ requestId }) => requestId)).toEqual([
      aRequestId,
      requestIdOf(6),
    ]);
  });

  it('changes nothing when the node runs again and asks the same, open or answered', () => {
    given(...anAskingRun())
      .when(requestInput())
      .thenNothing();
    given(...anAskingRun(), nodeStarted(second))
      .when(requestInput(second))
      .thenNothing();
    given(...anAnsweredRun(), nodeStarted(second))
      .when(requestInput(second))
      .thenNothing();
    given(...aSuspendedRun(), inputExpired(), nodeStarted(second))
      .when(requestInput(second))
      .thenNothing();
  });

  it('keeps the first deadline when it is asked again with another', () => {
    const first = { expiresAt: '2026-01-12T11:00:00.000Z' };
    const again = requestInput({ expiresAt: '2026-01-12T12:00:00.000Z' });
    given(...aRunningRun(), inputRequested(first))
      .when(again)
      .thenNothing();
    expect(inputOf(fold([...aRunningRun(), inputRequested(first)]), aRequestId)).toMatchObject(first);
  });

  it('is refused when the id was used for another question or by another task', () => {
    given(...anAskingRun())
      .when(requestInput({ request: { type: 'waitForInput', prompt: 'Your age?' } }))
      .thenRefused('INPUT_EXISTS');
    const other = speakerOf('1/write');
    given(...anAskingRun(), nodeScheduled({ tasks: [aTask('1/write')] }), nodeStarted(other))
      .when(requestInput(other))
      .thenRefused('INPUT_EXISTS');
  });

  it('is refused once somebody wants the run to end, but not when it is known already', () => {
    given(...aCancelingRun())
      .when(requestInput())
      .thenRefused('RUN_CANCEL_REQUESTED');
    given(...anAskingRun(), runCancelRequested())
      .when(requestInput())
      .thenNothing();
  });

  it('refuses a worker that slept', () => {
    given(...aRunningRun(), nodeStarted(second))
      .when(requestInput())
      .thenRefused('ATTEMPT_SUPERSEDED');
    given(...anAskingRun(), nodeStarted(second))
      .when(requestInput())
      .thenRefused('ATTEMPT_SUPERSEDED');
  });
});

describe('ProvideInput', () => {
  it('answers an open request, suspended or not', () => {
    given(...anAskingRun())
      .when(provideInput())
      .then(inputProvided());
    given(...aSuspendedRun())
      .when(provideInput())
      .then(inputProvided());
  });

  it('is taken when it is given, also while the run is paused or being canceled', () => {
    given(...aSuspendedRun(), runPaused())
      .when(provideInput())
      .then(inputProvided());
    given(...aSuspendedRun(), runCancelRequested())
      .when(provideInput())
      .then(inputProvided());
  });

  it('answers one request and leaves the others open', () => {
    const answered = fold([...anAskingRun(), inputRequested({ requestId: requestIdOf(6) }), inputProvided()]);
    expect(openInputs(answered).map(({ requestId }) => requestId)).toEqual([requestIdOf(6)]);
    expect(inputOf(answered, aRequestId)).toMatchObject({ outcome: 'ANSWERED' });
  });

  it('is refused when somebody answered before', () => {
    given(...anAnsweredRun())
      .when(provideInput({ by: 'bob' }))
      .thenRefused('INPUT_ALREADY_ANSWERED');
  });

  it('is refused when the request has expired', () => {
    given(...aSuspendedRun(), inputExpired())
      .when(provideInput())
      .thenRefused('INPUT_EXPIRED');
  });

  it('is refused for a request nobody made', () => {
    given(...aRunningRun())
      .when(provideInput())
      .thenRefused('INPUT_NOT_FOUND');
    given(...aQueuedRun())
      .when(provideInput())
      .thenRefused('INPUT_NOT_FOUND');
  });

  it('is refused because the run has ended only where a question was left open', () => {
    given(...aSuspendedRun(), goalAchieved(), runFinished())
      .when(provideInput())
      .thenRefused('RUN_ENDED');
  });

  it.each([
    ['a request nobody made', [], 'INPUT_NOT_FOUND', requestIdOf(9)],
    ['one that was answered', [inputProvided()], 'INPUT_ALREADY_ANSWERED', aRequestId],
    ['one that has expired', [inputExpired()], 'INPUT_EXPIRED', aRequestId],
  ] as const)('is refused for %s after the end of the run as before', (_, closed, code, requestId) => {
    for (const end of [[], [goalAchieved(), runFinished()], [runFailed()], [runCancelRequested(), runCanceled()]]) {
      given(...aSuspendedRun(), ...closed, ...end)
        .when(provideInput({ requestId }))
        .thenRefused(code);
    }
  });

  it('is refused for a request of a run that ended before it could ask', () => {
    given(...aQueuedRun(), runCancelRequested(), runCanceled())
      .when(provideInput())
      .thenRefused('INPUT_NOT_FOUND');
  });
});

describe('ExpireInput', () => {
  it('closes an open request', () => {
    given(...aSuspendedRun())
      .when(expireInput())
      .then(inputExpired());
    expect(inputOf(fold([...aSuspendedRun(), inputExpired()]), aRequestId)).toMatchObject({ outcome: 'EXPIRED' });
  });

  it('changes nothing when the answer was faster, when it rang before, and when nobody asked', () => {
    given(...anAnsweredRun())
      .when(expireInput())
      .thenNothing();
    given(...aSuspendedRun(), inputExpired())
      .when(expireInput())
      .thenNothing();
    given(...aRunningRun())
      .when(expireInput())
      .thenNothing();
    given(...aQueuedRun())
      .when(expireInput())
      .thenNothing();
  });

  it('changes nothing once the run has ended', () => {
    given(...aSuspendedRun(), goalAchieved(), runFinished())
      .when(expireInput())
      .thenNothing();
    given(...aFinishedRun())
      .when(expireInput())
      .thenNothing();
    given(...aCanceledRun())
      .when(expireInput())
      .thenNothing();
  });

  it('is refused for a run nobody requested', () => {
    given().when(expireInput()).thenRefused('RUN_NOT_FOUND');
  });
});
