import { describe, expect, it } from '@jest/globals';
import { subjects } from '@millrace/contracts';
import { done } from '@millrace/ports';
import { aNewRun } from './log-fixtures.js';
import {
  aNodeTask,
  aRunTask,
  consumeOf,
  type Opened,
  type OpenedPlatform,
  taskIn,
  until,
} from './platform-fixtures.js';

export const taskQueueRules = (opened: Opened): void => {
  describe('the task queue', () => {
    it('holds one message of a run and one of each of its tasks, whoever offers them, until they are done', async () => {
      const run = aNewRun();
      const queues = [opened().platform.tasks, (await opened().another()).platform.tasks];
      const offer = async () => {
        const offered = await Promise.all(
          Array.from({ length: 6 }, (_, at) => [
            queues[at % 2]!.offerRun(aRunTask(run)),
            queues[at % 2]!.offerNode(aNodeTask(run, 'a')),
            queues[at % 2]!.offerNode(aNodeTask(run, 'b')),
          ]).flat(),
        );
        return offered.filter((isOffered) => isOffered).length;
      };
      expect(await offer()).toBe(3);
      expect(await queues[1]!.has(run)).toBe(true);
      const held: (() => void)[] = [];
      const subjectsSeen: string[] = [];
      const consuming = await consumeOf(
        run,
        opened(),
        'node-workers',
        async ({ subject }) => {
          subjectsSeen.push(subject);
          await new Promise<void>((resolve) => held.push(resolve));
          return done;
        },
        { concurrency: 4 },
      );
      await until(() => held.length === 3);
      expect(await offer()).toBe(0); // in hand is in the queue
      expect(await queues[0]!.has(run)).toBe(true);
      for (const go of held) go();
      await until(async () => !(await queues[0]!.has(run)));
      await consuming.stop();
      expect(subjectsSeen.toSorted()).toEqual(
        [subjects.runTask(run), ...[aNodeTask(run, 'a'), aNodeTask(run, 'b')].map(subjectOf)].toSorted(),
      );
      expect(await offer()).toBe(3); // gone is gone
      await drain(run, opened());
    });

    it('brings a task as it was offered, with a large input or a small one', async () => {
      const run = aNewRun();
      const { platform } = opened();
      const offered = [aNodeTask(run, 'small'), aNodeTask(run, 'large', `"${'x'.repeat(2_000_000)}"`)];
      for (const task of offered) expect(await platform.tasks.offerNode(task)).toBe(true);
      const ready = new Map<string, unknown>();
      const consuming = await consumeOf(run, opened(), 'node-workers', async (delivery, { tasks }) => {
        const task = await tasks.ready(taskIn(delivery));
        ready.set(task.key, task);
        return done;
      });
      await until(() => ready.size === 2);
      await consuming.stop();
      expect(ready).toEqual(new Map(offered.map((task) => [task.key, task]))); // in whatever order
    });

    it('knows nothing of a run nobody offered', async () => {
      expect(await opened().platform.tasks.has(aNewRun())).toBe(false);
    });
  });
};

const subjectOf = (task: ReturnType<typeof aNodeTask>): string => subjects.task({ ...task, taskKey: task.key });

const drain = async (run: ReturnType<typeof aNewRun>, opened: OpenedPlatform): Promise<void> => {
  const consuming = await consumeOf(run, opened, 'node-workers', async () => done);
  await until(async () => !(await opened.platform.tasks.has(run)));
  await consuming.stop();
};
