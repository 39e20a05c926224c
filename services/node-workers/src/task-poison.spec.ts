import 'reflect-metadata';
import { expect, it } from '@jest/globals';
import { aRunRef, taskPoisons } from '@millrace/testing';
import { AgentWorld } from './agent-world.for-spec.js';

it.each(taskPoisons(aRunRef).map((poison) => [poison.sort, poison] as const))(
  'A worker sets a task aside that %s, and moves the next run to its end',
  async (_, { subject, data }) => {
    const world = new AgentWorld();
    world.platform.store.tasks.store({ subject, data });
    const run = await world.start('echo', { text: 'hello' });
    await world.work(run);
    expect(await world.hasEnded(run)).toBe(true);
    expect(await world.platform.deadLetters.list(10)).toMatchObject([
      { consumer: 'node-workers', subject, attempts: 1 },
    ]);
    expect(world.platform.store.tasks.messages).toEqual([]);
  },
);
