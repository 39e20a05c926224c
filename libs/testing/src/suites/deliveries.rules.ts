import { describe, expect, it } from '@jest/globals';
import { subjects } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import {
  type Appended,
  type Delivery,
  done,
  leave,
  type Outcome,
  park,
  type Platform,
  retryAfter,
} from '@millrace/ports';
import { aNewRun, appendAll, requested, started } from './log-fixtures.js';
import { aNodeTask, aRunTask, consumeOf, consumeWith, type Opened, taskIn, until } from './platform-fixtures.js';

class Hopeless extends PlatformError {
  readonly code = 'HOPELESS';
  readonly redelivery = 'park';
}

export const deliveriesRules = (opened: Opened): void => {
  const offer = async (run = aNewRun(), name = 'x') => {
    await opened().platform.tasks.offerNode(aNodeTask(run, name));
    return run;
  };
  const isGone = async (run: ReturnType<typeof aNewRun>) => !(await opened().platform.tasks.has(run));
  const lettersOf = async (run: ReturnType<typeof aNewRun>) =>
    (await opened().platform.deadLetters.list(10_000)).filter(({ subject }) => subject.includes(run.runId));

  describe('a delivery', () => {
    it('comes once, first come first served, and is finished with when it is done', async () => {
      const run = aNewRun();
      for (const name of ['a', 'b', 'c']) await offer(run, name);
      const handled: [string, number][] = [];
      const consuming = await consumeOf(run, opened(), 'node-workers', async (delivery) => {
        handled.push([taskIn(delivery).node, delivery.attempt]);
        return done;
      });
      await until(() => isGone(run));
      await consuming.stop();
      expect(handled.toSorted()).toEqual([
        ['a', 1],
        ['b', 1],
        ['c', 1],
      ]);
    });

    it('comes again when its handler asks for it or fails, and counts its attempts', async () => {
      const run = await offer();
      const attempts: [number, boolean][] = [];
      const troubles: string[] = [];
      const consuming = await consumeOf(
        run,
        opened(),
        'node-workers',
        async ({ attempt, isLastAttempt }) => {
          attempts.push([attempt, isLastAttempt]);
          if (attempt === 1) return retryAfter(10);
          if (attempt === 2) throw new Error('a moment');
          return done;
        },
        {
          maxAttempts: 3,
          retryAfterMs: () => 10,
          onTrouble: (_, { kind }, cause) => void troubles.push(`${kind} ${String(cause)}`),
        },
      );
      await until(() => isGone(run));
      await consuming.stop();
      expect(attempts).toEqual([
        [1, false],
        [2, false],
        [3, true],
      ]);
      expect(troubles).toEqual(['retry undefined', 'retry Error: a moment']);
      expect(await lettersOf(run)).toEqual([]);
    });

    it.each<[string, (delivery: Delivery) => Promise<Outcome>, string, number]>([
      ['says so', async () => park('no such agent'), 'no such agent', 1],
      ['is hopeless', () => Promise.reject(new Hopeless('not an event')), 'not an event', 1],
      ['fails too often', () => Promise.reject(new TypeError('a bug\nin two lines')), 'a bug in two lines', 2],
      ['asks for ever', async () => retryAfter(1), 'still not done after 2 attempts', 2],
    ])('becomes a dead letter, with the reason, when its handler %s', async (_, handle, reason, attempts) => {
      const run = await offer();
      const options = { maxAttempts: 2, retryAfterMs: () => 1 };
      const consuming = await consumeOf(run, opened(), 'node-workers', handle, options);
      await until(() => isGone(run));
      await consuming.stop();
      const letters = await lettersOf(run);
      expect(letters).toMatchObject([{ consumer: 'node-workers', stream: 'TASKS', reason, attempts }]);
      expect(taskIn(letters[0]!)).toEqual(aNodeTask(run, 'x'));
    });

    it('that is left alone comes again by itself, and so does one whose process was killed', async () => {
      const [left, lost] = [await offer(), await offer()];
      const first = await opened().another();
      const taken: string[] = [];
      const handle = async ({ subject }: Delivery): Promise<Outcome> => {
        if (subject.includes(left.runId)) {
          taken.push('left');
          return leave;
        }
        if (subject.includes(lost.runId)) {
          taken.push('lost');
          return new Promise(() => {});
        }
        return done;
      };
      await first.platform.deliveries.consume('node-workers', handle, { concurrency: 2 });
      await until(() => taken.length === 2);
      await first.kill();
      const again: [string, number][] = [];
      const consuming = await consumeWith(opened(), 'node-workers', async ({ subject, attempt }) => {
        again.push([subject, attempt]);
        return done;
      });
      await until(async () => (await isGone(left)) && (await isGone(lost)));
      await consuming.stop();
      expect(again.toSorted()).toEqual([left, lost].map((run) => [subjectOf(run), 2] as [string, number]).toSorted());
    });

    it('stays with the handler that works on it, however long that takes', async () => {
      const run = await offer();
      const attempts: number[] = [];
      const { clock } = opened().platform;
      let isOver = false;
      const handle = async ({ attempt }: Delivery): Promise<Outcome> => {
        attempts.push(attempt);
        const until8s = clock.now().getTime() + 8_000; // longer than a silent one is waited for
        await until(() => clock.now().getTime() > until8s);
        isOver = true;
        return done;
      };
      const consuming = [
        await consumeOf(run, opened(), 'node-workers', handle),
        await consumeOf(run, opened(), 'node-workers', handle),
      ];
      await until(async () => isOver && (await isGone(run)));
      await Promise.all(consuming.map((each) => each.stop()));
      expect(attempts).toEqual([1]);
    });

    it('waits while as many are in hand as may be, and others can see that it does', async () => {
      const run = aNewRun();
      for (const name of ['a', 'b', 'c', 'd', 'e']) await offer(run, name);
      const release: (() => void)[] = [];
      let [now, most] = [0, 0];
      let sawOthers = false;
      const consuming = await consumeOf(
        run,
        opened(),
        'node-workers',
        async ({ othersWait }) => {
          most = Math.max(most, (now += 1));
          sawOthers ||= othersWait();
          await new Promise<void>((resolve) => release.push(resolve));
          now -= 1;
          return done;
        },
        { concurrency: 2 },
      );
      await until(() => release.length === 2);
      const closing = consuming.stop(); // waits for those in hand, and takes no more
      for (const go of release.splice(0)) go();
      await closing;
      expect({ most, now, sawOthers }).toEqual({ most: 2, now: 0, sawOthers: true });
      const rest = await consumeOf(run, opened(), 'node-workers', async () => done);
      await until(() => isGone(run));
      await rest.stop();
    });

    it('goes to one process of those that take from the same consumer', async () => {
      const runs = await Promise.all(Array.from({ length: 30 }, () => offer()));
      const own = new Set(runs.map(({ runId }) => runId as string));
      const handled: string[] = [];
      const handle = async (delivery: Delivery): Promise<Outcome> => {
        const { runId } = taskIn(delivery);
        if (own.has(runId)) handled.push(runId);
        return done;
      };
      const consuming = await Promise.all([1, 2].map(() => consumeWith(opened(), 'node-workers', handle)));
      await until(() => handled.length >= runs.length);
      for (const run of runs) await until(() => isGone(run));
      await Promise.all(consuming.map((each) => each.stop()));
      expect(handled.toSorted()).toEqual([...own].toSorted());
    });

    it("of the log brings the event, and how far its run's history went with it", async () => {
      const run = aNewRun();
      const { events, tail } = await appendAll(opened().platform.runs, run, [requested(), started()]);
      const brought: Appended[] = [];
      const handle = async (delivery: Delivery, { runs }: Platform): Promise<Outcome> => {
        brought.push(await runs.delivered(delivery));
        expect(delivery.place).toBe(tail.streamSequence);
        return done;
      };
      const consuming = await consumeOf(run, opened(), 'orchestrator', handle, { concurrency: 16 });
      await until(() => brought.length === 1);
      await consuming.stop();
      expect(brought).toEqual([{ event: events[1], tail }]);
    });

    it('of a run is told from one of its tasks by its subject', async () => {
      const run = await offer();
      await opened().platform.tasks.offerRun(aRunTask(run));
      const seen: string[] = [];
      const consuming = await consumeOf(run, opened(), 'node-workers', async ({ subject }) => {
        seen.push(subject);
        return done;
      });
      await until(() => isGone(run));
      await consuming.stop();
      expect(seen.toSorted()).toEqual([subjectOf(run), subjects.runTask(run)].toSorted());
    });
  });
};

const subjectOf = (run: ReturnType<typeof aNewRun>): string => {
  const task = aNodeTask(run, 'x');
  return subjects.task({ ...task, taskKey: task.key });
};
