import { describe, expect, it } from '@jest/globals';
import { ulid } from 'ulid';
import { aNewRun } from './log-fixtures.js';
import { type Opened, until } from './platform-fixtures.js';

const never = new AbortController().signal;

export const coordinationRules = (opened: Opened): void => {
  const leases = async () => (await opened().another()).platform.leases;

  describe('a lease', () => {
    it('is held by one, and goes to the next when it is given back', async () => {
      const name = `given-back-${ulid()}`;
      const [one, other] = [await leases(), await leases()];
      const held = await one.acquire(name, never);
      let isTaken = false;
      const waiting = other.acquire(name, never).then((next) => {
        isTaken = true;
        return next;
      });
      await (await (await leases()).acquire(`another ${ulid()}`.replace(' ', '-'), never))?.release();
      expect([held?.lost.aborted, isTaken]).toEqual([false, false]);
      await held?.release();
      const next = await waiting;
      expect(next?.lost.aborted).toBe(false);
      await next?.release();
    });

    it('never has two holders that believe in it, however many want it', async () => {
      const name = `wanted-${ulid()}`;
      let [holders, most, turns] = [0, 0, 0];
      await Promise.all(
        Array.from({ length: 5 }, async () => {
          const lease = await (await leases()).acquire(name, never);
          most = Math.max(most, (holders += 1));
          turns += 1;
          await new Promise((resolve) => setTimeout(resolve, 5));
          holders -= 1;
          await lease?.release();
        }),
      );
      expect({ most, turns }).toEqual({ most: 1, turns: 5 });
    });

    it('is taken over from a process that was killed', async () => {
      const name = `gone-${ulid()}`;
      const process = await opened().another();
      const held = await process.platform.leases.acquire(name, never);
      expect(held?.lost.aborted).toBe(false);
      await process.kill();
      const next = await (await leases()).acquire(name, never);
      expect(next?.lost.aborted).toBe(false);
      await next?.release();
    });

    it('is waited for until the signal aborts', async () => {
      const name = `busy-${ulid()}`;
      const held = await (await leases()).acquire(name, never);
      const stop = new AbortController();
      const waiting = (await leases()).acquire(name, stop.signal);
      stop.abort();
      expect(await waiting).toBeUndefined();
      expect(await (await leases()).acquire(name, AbortSignal.abort())).toBeUndefined();
      await held?.release();
    });
  });

  describe('a snapshot', () => {
    it('is the last one saved, for whoever asks', async () => {
      const name = `fold-${ulid()}`;
      const { snapshots } = opened().platform;
      expect(await snapshots.load(name)).toBeUndefined();
      await snapshots.save(name, { at: 1 });
      const last = { at: 2, text: 'x'.repeat(2_000_000) };
      await snapshots.save(name, last);
      expect(await (await opened().another()).platform.snapshots.load(name)).toEqual(last);
    });
  });

  describe('a ticket', () => {
    it('is good once, whoever asks first', async () => {
      const ledgers = [opened().platform.tickets, (await opened().another()).platform.tickets];
      const ticket = ulid();
      const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => ledgers[at % 2]!.redeem(ticket)));
      expect(answers.filter((isGood) => isGood)).toHaveLength(1);
      expect(await ledgers[0]!.redeem(ticket)).toBe(false);
      expect(await ledgers[0]!.redeem(ulid())).toBe(true);
    });
  });

  describe('a dead letter', () => {
    const letterFor = (streamSequence: number, text: string) => ({
      consumer: 'dispatcher',
      reason: `it is\n${text}`,
      attempts: 3,
      subject: `tenant.x.run.${aNewRun().runId}.RunRequested`,
      stream: 'RUNS',
      streamSequence,
      data: new TextEncoder().encode(text),
    });

    it('is kept once for each place, with all that is told of it, and listed page by page', async () => {
      const { deadLetters } = opened().platform;
      const before = (await deadLetters.list(10_000)).at(-1)?.id ?? 0;
      const places = Array.from({ length: 3 }, () => Math.floor(Math.random() * 1e12));
      const letters = places.map((place, at) => letterFor(place, `broken ${at}`));
      for (const letter of letters) for (const add of [1, 2]) await deadLetters.add({ ...letter, attempts: add });
      const { deadLetters: others } = (await opened().another()).platform;
      let listed: Awaited<ReturnType<typeof others.list>> = [];
      await until(async () => (listed = await others.list(100, before)).length === 3);
      expect(listed).toMatchObject(
        letters.map(({ data: _, reason, ...told }) => ({ ...told, attempts: 1, reason: reason.replace('\n', ' ') })),
      );
      expect(listed.map(({ data }) => new TextDecoder().decode(data))).toEqual(['broken 0', 'broken 1', 'broken 2']);
      expect(await others.list(1, listed[0]!.id)).toEqual([listed[1]]);
    });
  });

  describe('identity', () => {
    it('gives ids that are unique and rise, and a time that does not go back', () => {
      const { ids, clock } = opened().platform;
      const given = Array.from({ length: 1_000 }, () => ids.next());
      expect(new Set(given).size).toBe(1_000);
      expect(given).toEqual(given.toSorted());
      const [one, other] = [clock.now(), clock.now()];
      expect(other.getTime()).toBeGreaterThanOrEqual(one.getTime());
    });
  });
};
