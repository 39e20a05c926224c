import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { InMemoryTaskQueue } from '@millrace/adapter-memory';
import type { JetStreamDelivery } from '@millrace/adapter-jetstream';
import type { TaskExecutor, TaskMessage } from '@millrace/application';
import { aRunId, aTaskKey, aTenantId, type ReadyTask, subjects } from '@millrace/contracts';
import { JetStreamContext } from '@millrace/nest-kit';
import { done } from '@millrace/ports';
import { TaskController } from './task.controller.js';

const task: ReadyTask = {
  ...{ version: '1', tenantId: aTenantId, runId: aRunId, agent: 'echo', agentVersion: '1' },
  ...{ key: aTaskKey, node: 'plan', iteration: 1, inputHash: 'x', input: '{}' },
};
const subject = subjects.task({ ...task, taskKey: task.key });

const offer = async (body: string, on = subject, attempt = 1) => {
  const executed: [ReadyTask, TaskMessage][] = [];
  const executor = {
    execute: async (ready: ReadyTask, message: TaskMessage) => (executed.push([ready, message]), done),
  } as unknown as TaskExecutor;
  const delivery: JetStreamDelivery = {
    ...{ subject: on, data: new TextEncoder().encode(body), headers: undefined, place: 1, attempt },
    ...{ isLastAttempt: false, hasStalled: () => false },
  };
  const outcome = await new TaskController(executor, new InMemoryTaskQueue()).offered(new JetStreamContext([delivery]));
  return { outcome, executed };
};

describe('A task that is offered', () => {
  it('is executed, and the executor told how often it came', async () => {
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
    const { outcome, executed } = await offer(
      JSON.stringify(task),
      subject.replace(aRunId, '01JD00000000000000000000ZZ'),
    );
    expect([outcome.kind, executed]).toEqual(['park', []]);
  });
});
