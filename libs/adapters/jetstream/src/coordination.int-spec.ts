import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aTaskKey, type ReadyTask, subjects } from '@millrace/contracts';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { JetStreamBlobStore } from './jetstream-blob-store.js';
import { JetStreamLeases } from './jetstream-leases.js';
import { JetStreamSnapshots } from './jetstream-snapshots.js';
import { JetStreamTaskQueue } from './jetstream-task-queue.js';
import { JetStreamTimers, runOfTimer } from './jetstream-timers.js';
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

  it('is told from other subjects', () => {
    for (const subject of ['timer.set.x.y', 'timer.due.x.y.z', 'tenant.x', 'timer.due']) {
      expect(runOfTimer(subject)).toBeUndefined();
    }
  });
});

describe('The task queue', () => {
  const aTask = (input: string): ReadyTask => ({
    ...{ version: '1', ...aRun(), agent: 'echo', agentVersion: '1', key: aTaskKey, node: 'plan' },
    ...{ iteration: 1, inputHash: 'x', input },
  });

  it('queues an offer once, large input or small', async () => {
    const queue = new JetStreamTaskQueue(spec.nats, new JetStreamBlobStore(spec.nats));
    const [small, large] = [aTask('{}'), aTask(`"${'x'.repeat(2_000_000)}"`)];
    for (const task of [small, large, small]) await queue.offer(task, `${task.runId}/1`);
    const { state } = await (await jetstreamManager(spec.nats)).streams.info(STREAMS.tasks);
    expect(state.messages).toBe(2);
    const consumer = await jetstream(spec.nats).consumers.get(STREAMS.tasks, 'node-workers');
    for (const sent of [small, large]) {
      const message = await consumer.next({ expires: 5_000 });
      expect(message?.subject).toBe(subjects.task({ ...sent, taskKey: sent.key }));
      expect(await queue.ready(message!.json())).toEqual(sent);
      message?.ack();
    }
    await until(
      async () => (await (await jetstreamManager(spec.nats)).streams.info(STREAMS.tasks)).state.messages === 0,
    );
  });
});
