import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aTaskKey, type ReadyTask, runOfTimer, RunTask, subjects } from '@millrace/contracts';
import { logWritten, stored } from '@millrace/testing';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import { JetStreamLeases } from './jetstream-leases.js';
import { JetStreamSnapshots } from './jetstream-snapshots.js';
import { JetStreamTaskQueue } from './jetstream-task-queue.js';
import { JetStreamTimers } from './jetstream-timers.js';
import { aRun, SpecNats, until } from './spec-nats.for-spec.js';
import { STREAMS } from './topology.js';

let spec: SpecNats;
beforeAll(async () => {
  spec = await SpecNats.start();
});
afterAll(() => spec.stop());

describe('A lease', () => {
  const leases = async () => new JetStreamLeases(await spec.connect());
  const never = new AbortController().signal;

  it('is held by one, and goes to the next when it is given back', async () => {
    const [one, other] = [await leases(), await leases()];
    const held = await one.acquire('given-back', never);
    let isTaken = false;
    const waiting = other.acquire('given-back', never).then((next) => ((isTaken = true), next));
    expect([held?.lost.aborted, isTaken]).toEqual([false, false]);
    await held?.release();
    await (await waiting)?.release();
    expect(isTaken).toBe(true);
  });

  it('is taken over from one that is gone, who then knows', async () => {
    const nats = await spec.connect();
    const held = await new JetStreamLeases(nats).acquire('gone', never);
    await nats.close(); // like a process that was killed: it renews no more
    const next = await (await leases()).acquire('gone', never);
    expect(next?.lost.aborted).toBe(false);
    await until(() => held?.lost.aborted ?? false);
    await next?.release();
  });

  it('is kept when a renewal was stored and its answer lost', async () => {
    const held = await (await leases()).acquire('unheard', never);
    const manager = await jetstreamManager(spec.nats);
    const last = () => manager.streams.getMessage(STREAMS.coordination, { last_by_subj: 'lease.unheard' });
    const unheard = await jetstream(spec.nats).publish('lease.unheard', (await last())?.data);
    await until(async () => ((await last())?.seq ?? 0) > unheard.seq);
    expect(held?.lost.aborted).toBe(false);
    await held?.release();
  });

  it('is waited for until the signal aborts', async () => {
    const held = await (await leases()).acquire('busy', never);
    const stop = new AbortController();
    const waiting = (await leases()).acquire('busy', stop.signal);
    stop.abort();
    expect(await waiting).toBeUndefined();
    await held?.release();
  });
});

describe('A snapshot', () => {
  it('is the last one saved, for whoever asks', async () => {
    const snapshots = new JetStreamSnapshots(spec.nats);
    expect(await snapshots.load('fold')).toBeUndefined();
    await snapshots.save('fold', { at: 1 });
    await snapshots.save('fold', { at: 2, text: 'x'.repeat(2_000_000) });
    expect(await new JetStreamSnapshots(await spec.connect()).load('fold')).toMatchObject({ at: 2 });
  });
});

describe('A timer', () => {
  it('rings once, for its run, also when its time has passed already', async () => {
    const timers = new JetStreamTimers(spec.nats);
    const run = aRun();
    await timers.set(run, 'deadline.>', new Date(Date.now() + 1_000));
    await timers.set(run, 'past', new Date(Date.now() - 60_000));
    const consumer = await jetstream(spec.nats).consumers.get(STREAMS.timers, 'orchestrator-timers');
    const rung: string[] = [];
    while (rung.length < 2) {
      const message = await consumer.next({ expires: 5_000 });
      if (!message) continue;
      rung.push(message.subject);
      message.ack();
    }
    expect(rung.map(runOfTimer)).toEqual([run, run]);
    expect(await consumer.next({ expires: 1_000 })).toBeNull();
  });
});

describe('The task queue', () => {
  const aTask = (input: string): ReadyTask => ({
    ...{ version: '1', ...aRun(), agent: 'echo', agentVersion: '1', key: aTaskKey, node: 'plan' },
    ...{ iteration: 1, inputHash: 'x', input },
  });

  it('holds one message of a name at a time, large input or small', async () => {
    const queue = new JetStreamTaskQueue(spec.nats, new JetStreamBlobStore(spec.nats));
    const [small, large] = [aTask('{}'), aTask(`"${'x'.repeat(2_000_000)}"`)];
    const offered: boolean[] = [];
    for (const task of [small, large, small]) offered.push(await queue.offerNode(task));
    expect(offered).toEqual([true, true, false]);
    const { state } = await (await jetstreamManager(spec.nats)).streams.info(STREAMS.tasks);
    expect(state.messages).toBe(2);
    const consumer = await jetstream(spec.nats).consumers.get(STREAMS.tasks, 'node-workers');
    for (const sent of [small, large]) {
      const message = await consumer.next({ expires: 5_000 });
      expect(message?.subject).toBe(subjects.task({ ...sent, taskKey: sent.key }));
      expect(await queue.ready(message!.json())).toEqual(sent);
      expect(await queue.offerNode(sent)).toBe(false); // in a worker's hands it is in the queue still
      await message?.ackAck();
    }
    expect(await queue.has(small)).toBe(false);
    expect(await queue.offerNode(small)).toBe(true);
    expect(await queue.has(small)).toBe(true);
  });

  it('holds one message of a run at a time, with its history while that is short', async () => {
    const queue = new JetStreamTaskQueue(spec.nats, new JetStreamBlobStore(spec.nats));
    const ref = aRun();
    const run: RunTask = { version: '1', work: 'run', ...ref, agent: 'echo', agentVersion: '1', place: 7 };
    const seedOf = (text: string) => ({
      events: stored([logWritten({ message: text })], ref),
      position: 0,
      sequence: -1,
    });
    const long = { ...run, ...aRun() };
    expect(await queue.offerRun({ ...run, seed: seedOf('short') })).toBe(true);
    expect(await queue.offerRun(run)).toBe(false);
    expect(await queue.offerRun({ ...long, seed: seedOf('x'.repeat(300_000)) })).toBe(true);
    const consumer = await jetstream(spec.nats).consumers.get(STREAMS.tasks, 'node-workers');
    const seeds: unknown[] = [];
    while (seeds.length < 2) {
      const message = await consumer.next({ expires: 5_000 });
      const task = RunTask.safeParse(message?.json());
      if (task.success) seeds.push(task.data.seed);
      message?.ack();
    }
    expect(seeds).toEqual([seedOf('short'), undefined]);
  });
});
