import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { InMemoryTaskQueue } from '@millrace/adapter-memory';
import type { JetStreamDelivery } from '@millrace/adapter-jetstream';
import type { DeliveredMessage, RunMover } from '@millrace/application';
import { aRunId, aTaskKey, aTenantId, type ReadyTask, RunId, type RunTask, subjects } from '@millrace/contracts';
import { JetStreamContext } from '@millrace/nest-kit';
import { done } from '@millrace/ports';
import { runRequested, stored } from '@millrace/testing';
import { TaskController } from './task.controller.js';

const task: ReadyTask = {
  ...{ version: '1', tenantId: aTenantId, runId: aRunId, agent: 'echo', agentVersion: '1' },
  ...{ key: aTaskKey, node: 'plan', iteration: 1, inputHash: 'x', input: '{}' },
};
const subject = subjects.task({ ...task, taskKey: task.key });

const run: RunTask = {
  ...{ version: '1', work: 'run', tenantId: aTenantId, runId: aRunId, agent: 'echo', agentVersion: '1', place: 2 },
};
const runSubject = subjects.runTask(run);
const anotherRun = RunId.parse('01JD00000000000000000000ZZ');

const offer = async (body: string, on = subject, attempt = 1) => {
  const executed: [ReadyTask | RunTask, DeliveredMessage][] = [];
  const take = async (task: ReadyTask | RunTask, message: DeliveredMessage) => (executed.push([task, message]), done);
  const mover = { execute: take, move: take } as unknown as RunMover;
  const delivery: JetStreamDelivery = {
    ...{ subject: on, data: new TextEncoder().encode(body), headers: undefined, place: 1, attempt },
    ...{ isLastAttempt: false, hasStalled: () => false, othersWait: () => false },
  };
  const outcome = await new TaskController(mover, new InMemoryTaskQueue()).offered(new JetStreamContext([delivery]));
  return { outcome, executed };
};

describe('A task that is offered', () => {
  it('is executed, and the mover told how often it came', async () => {
    const { outcome, executed } = await offer(JSON.stringify(task), subject, 2);
    expect(outcome).toEqual(done);
    expect(executed).toEqual([[task, expect.objectContaining({ deliveries: 2 })]]);
  });

  it.each([
    ['no JSON', '{'],
    ['no task', '{"version":"1"}'],
    ['of a version nobody knows', JSON.stringify({ ...task, version: '2' })],
  ])('is parked when it is %s', async (_, body) => {
    const { outcome, executed } = await offer(body);
    expect([outcome.kind, executed]).toEqual(['park', []]);
  });

  it('is parked when it lies on the subject of another run', async () => {
    const { outcome, executed } = await offer(JSON.stringify(task), subject.replace(aRunId, anotherRun));
    expect([outcome.kind, executed]).toEqual(['park', []]);
  });
});

describe('A run that is offered', () => {
  it('is moved, and the mover told how often it came', async () => {
    const { outcome, executed } = await offer(JSON.stringify(run), runSubject, 3);
    expect(outcome).toEqual(done);
    expect(executed).toEqual([[run, expect.objectContaining({ deliveries: 3 })]]);
  });

  it('is parked when it lies on the subject of another run', async () => {
    const { outcome, executed } = await offer(JSON.stringify(run), runSubject.replace(aRunId, anotherRun));
    expect([outcome.kind, executed]).toEqual(['park', []]);
  });

  it('is parked when the history it brings is of another run', async () => {
    const [strange] = stored([runRequested()], { tenantId: aTenantId, runId: anotherRun });
    const seed = { events: [strange], position: 0, sequence: 0 };
    const { outcome, executed } = await offer(JSON.stringify({ ...run, seed }), runSubject);
    expect([outcome.kind, executed]).toEqual(['park', []]);
  });
});
