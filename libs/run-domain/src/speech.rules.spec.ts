import { describe, expect, it } from '@jest/globals';
import { aTaskKey, FACT_FIXTURES } from '@millrace/contracts';
import {
  aCancelingRun,
  aDispatchedRun,
  aFinishedRun,
  aPausedRun,
  aQueuedRun,
  aRetryingRun,
  aRunningRun,
  aSuspendedRun,
  aWorkedRun,
  effectRecorded,
  modelResponded,
  nodeStarted,
  policySwitched,
  runStarted,
  say,
  speakerOf,
  specFor,
  tokenDelta,
} from '@millrace/testing';
import { fold, isRepeatable, runDecider, SPOKEN_KINDS } from './index.js';

const given = specFor(runDecider);

const second = speakerOf(aTaskKey, 2);
const careful = { fromPolicy: 'careful', toPolicy: 'default' };

describe('Say', () => {
  it.each(SPOKEN_KINDS)('records %s of the attempt that holds the task', (kind) => {
    const fact = FACT_FIXTURES[kind];
    given(...aRunningRun())
      .when(say(fact))
      .then(fact);
    given(...aPausedRun())
      .when(say(fact))
      .then(fact);
    given(...aCancelingRun())
      .when(say(fact))
      .then(fact);
  });

  it.each(SPOKEN_KINDS)('refuses %s of whoever does not hold it', (kind) => {
    const fact = FACT_FIXTURES[kind];
    given(...aRunningRun(), nodeStarted(second))
      .when(say(fact))
      .thenRefused('ATTEMPT_SUPERSEDED');
    given(...aRunningRun())
      .when(say({ ...fact, attempt: 2 }))
      .thenRefused('TASK_NOT_STARTED');
    given(...aDispatchedRun())
      .when(say(fact))
      .thenRefused('TASK_NOT_STARTED');
    given(...aRetryingRun())
      .when(say(fact))
      .thenRefused('TASK_NOT_STARTED');
    given(...aSuspendedRun())
      .when(say(fact))
      .thenRefused('TASK_NOT_STARTED');
    given(...aWorkedRun())
      .when(say(fact))
      .thenRefused('TASK_FINISHED');
    given(...aQueuedRun(), runStarted())
      .when(say(fact))
      .thenRefused('TASK_NOT_FOUND');
    given(...aRunningRun())
      .when(say({ ...fact, node: 'other' }))
      .thenRefused('TASK_CONFLICT');
    given(...aQueuedRun())
      .when(say(fact))
      .thenRefused('RUN_NOT_STARTED');
    given(...aFinishedRun())
      .when(say(fact))
      .thenRefused('RUN_ENDED');
    given().when(say(fact)).thenRefused('RUN_NOT_FOUND');
  });

  it.each(SPOKEN_KINDS)('takes %s a second time only when nothing tells it from the first', (kind) => {
    const fact = FACT_FIXTURES[kind];
    const again = given(...aRunningRun(), fact).when(say(fact));
    if (isRepeatable(say(fact))) again.thenNothing();
    else again.then(fact);
  });

  it('leaves no trace of tokens in the state', () => {
    const run = fold(aRunningRun());
    expect(runDecider.evolve(run, tokenDelta())).toBe(run);
  });
});

describe('an effect', () => {
  it('is recorded once for each key, over all attempts: the first value stands', () => {
    const history = [...aRunningRun(), effectRecorded({ key: 'now' }), nodeStarted(second)];
    given(...history)
      .when(say(effectRecorded({ ...second, key: 'now', value: 'later' })))
      .thenNothing();
    const other = effectRecorded({ ...second, key: 'random' });
    given(...history)
      .when(say(other))
      .then(other);
  });
});

describe('the answer of a model', () => {
  it('is recorded once for each call, over all attempts', () => {
    const history = [...aRunningRun(), modelResponded({ callId: 'c1' }), nodeStarted(second)];
    given(...history)
      .when(say(modelResponded({ ...second, callId: 'c1' })))
      .thenNothing();
    const other = modelResponded({ ...second, callId: 'c2' });
    given(...history)
      .when(say(other))
      .then(other);
  });
});

describe('a switch of the policy', () => {
  it('counts the versions of the policy', () => {
    expect(fold(aRunningRun())).toMatchObject({ policy: 'default', policyVersion: 1 });
    expect(fold([...aRunningRun(), policySwitched()])).toMatchObject({ policy: 'careful', policyVersion: 2 });
    expect(fold([...aRunningRun(), policySwitched(), policySwitched(careful)])).toMatchObject({
      policy: 'default',
      policyVersion: 3,
    });
  });

  it('may lead back', () => {
    given(...aRunningRun(), policySwitched())
      .when(say(policySwitched(careful)))
      .then(policySwitched(careful));
  });

  it('changes nothing when the run follows the policy already', () => {
    given(...aRunningRun(), policySwitched())
      .when(say(policySwitched()))
      .thenNothing();
  });

  it('is refused when the run follows neither', () => {
    given(...aRunningRun())
      .when(say(policySwitched({ fromPolicy: 'bold', toPolicy: 'careful' })))
      .thenRefused('POLICY_MISMATCH');
  });
});
