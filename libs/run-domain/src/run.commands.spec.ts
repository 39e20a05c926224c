import { describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, type RunFact } from '@millrace/contracts';
import * as kit from '@millrace/testing';
import { decide, fold, isRepeatable, type RunCommand } from './index.js';

interface Taken {
  readonly command: RunCommand;
  /** In which the command adds facts. */
  readonly history: readonly RunFact[];
}
const taken = (command: RunCommand, history: readonly RunFact[]): Taken => ({ command, history });

const TAKEN: { readonly [K in RunCommand['kind']]: readonly Taken[] } = {
  RequestRun: [taken(kit.requestRun(), [])],
  QueueRun: [taken(kit.queueRun(), kit.aRequestedRun())],
  StartRun: [taken(kit.startRun(), kit.aQueuedRun())],
  PauseRun: [taken(kit.pauseRun(), kit.aRunningRun())],
  ResumeRun: [taken(kit.resumeRun(), kit.aPausedRun())],
  CancelRun: [taken(kit.cancelRun(), kit.aRunningRun())],
  ConfirmCancel: [taken(kit.confirmCancel(), [...kit.aRunUsingATool(), kit.runCancelRequested()])],
  EndGraph: [taken(kit.endGraph(), kit.aWorkedRun())],
  FinishRun: [taken(kit.finishRun(), kit.aWorkedRun())],
  FailRun: [taken(kit.failRun(), kit.aRunUsingATool())],
  AchieveGoal: [taken(kit.achieveGoal(), kit.aRunningRun())],
  RequestRetry: [taken(kit.requestRetry(), kit.aFinishedRun())],
  RetryAfterFailure: [
    taken(kit.retryAfterFailure(), [
      ...[kit.runRequested({ retryOnFailure: { maxRetries: 1 } }), kit.runStarted(), kit.runFailed()],
    ]),
  ],
  ProvideImprovement: [
    taken(kit.provideImprovement(), [
      kit.runRequested({ improvedBy: FACT_FIXTURES.ImprovementProvided.improvementRunId }),
    ]),
  ],
  SaveCheckpoint: [taken(kit.saveCheckpoint(), kit.aRunningRun())],
  ScheduleNodes: [taken(kit.scheduleNodes({ tasks: [kit.aTask('1/write')] }), kit.aRunningRun())],
  StartNode: [
    taken(kit.startNode(), kit.aDispatchedRun()),
    taken(kit.startNode({ scheduled: { inputHash: 'x' } }), [kit.runRequested(), kit.runStarted()]),
  ],
  FinishNode: [taken(kit.finishNode(), kit.aRunUsingATool())],
  ScheduleRetry: [taken(kit.scheduleRetry(), kit.aRunningRun())],
  SuspendNode: [taken(kit.suspendNode(), kit.anAskingRun())],
  Say: [kit.tokenDelta(), kit.effectRecorded(), kit.modelResponded(), kit.policySwitched()].map((fact) =>
    taken(kit.say(fact), kit.aRunningRun()),
  ),
  RequestTool: [taken(kit.requestTool(), kit.aRunningRun())],
  ProgressTool: [taken(kit.progressTool(), kit.aRunUsingATool())],
  FinishTool: [taken(kit.finishTool(), kit.aRunUsingATool())],
  RequestInput: [taken(kit.requestInput(), kit.aRunningRun())],
  ProvideInput: [taken(kit.provideInput(), kit.aSuspendedRun())],
  ExpireInput: [taken(kit.expireInput(), kit.aSuspendedRun())],
};

const all = Object.values(TAKEN).flat();

describe('a command that was carried out', () => {
  it.each(all.filter(({ command }) => isRepeatable(command)))(
    'yields nothing when it can be repeated, and is: $command.kind',
    ({ command, history }) => {
      const facts = decide(command, fold(history));
      expect(facts).not.toEqual([]);
      expect(decide(command, fold([...history, ...facts]))).toEqual([]);
    },
  );

  it.each(all.filter(({ command }) => !isRepeatable(command)))(
    'was one fact when it cannot be repeated: $command.kind',
    ({ command, history }) => {
      expect(decide(command, fold(history))).toHaveLength(1);
    },
  );
});
