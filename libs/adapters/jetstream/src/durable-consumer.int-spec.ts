import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformError } from '@millrace/kernel';
import { done, type Outcome, park, retryAfter } from '@millrace/ports';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';
import { JetStreamDeadLetters } from './dead-letters.js';
import { type ConsumerOptions, DurableConsumer, type JetStreamDelivery } from './durable-consumer.js';
import { aRun, SpecNats, until } from './spec-nats.for-spec.js';
import { STREAMS } from './topology.js';

let spec: SpecNats;
let deadLetters: JetStreamDeadLetters;
const consumers: DurableConsumer[] = [];
beforeAll(async () => {
  spec = await SpecNats.start();
  deadLetters = new JetStreamDeadLetters(spec.nats);
});
afterAll(async () => {
  await Promise.all(consumers.map((consumer) => consumer.close(1_000)));
  await spec.stop();
});

/** A consumer of subjects of its own. */
const aConsumer = async (
  name: string,
  handle: (delivery: JetStreamDelivery) => Promise<Outcome>,
  options: Partial<ConsumerOptions> & { ackWaitMs?: number } = {},
) => {
  const run = aRun();
  const { ackWaitMs = 30_000, ...rest } = options;
  const manager = await jetstreamManager(spec.nats);
  await manager.consumers.add(STREAMS.timers, {
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    filter_subject: `timer.spec.${run.runId}.*`,
  });
  const open = async () => {
    const settings: ConsumerOptions = { retryAfterMs: () => 1, ...rest, stream: STREAMS.timers, durable: name };
    const consumer = await DurableConsumer.open(await spec.connect(), settings, handle);
    consumers.push(consumer);
    return consumer;
  };
  const send = async (text: string) => void (await jetstream(spec.nats).publish(`timer.spec.${run.runId}.x`, text));
  const isEmpty = async () => {
    const { num_pending, num_ack_pending } = await manager.consumers.info(STREAMS.timers, name);
    return num_pending === 0 && num_ack_pending === 0;
  };
  const info = () => manager.consumers.info(STREAMS.timers, name);
  const parked = async () => (await deadLetters.list(100)).filter(({ consumer }) => consumer === name);
  return { open, send, isEmpty, info, parked };
};

const textOf = ({ data }: JetStreamDelivery): string => new TextDecoder().decode(data);

describe('A durable consumer', () => {
  it('hands every message over and is finished with those that are done', async () => {
    const handled: string[] = [];
    const { open, send, isEmpty } = await aConsumer('plain', async (delivery) => {
      handled.push(textOf(delivery));
      return done;
    });
    await open();
    for (const text of ['a', 'b', 'c']) await send(text);
    await until(isEmpty);
    expect(handled).toEqual(['a', 'b', 'c']);
  });

  it('delivers again what asks for it, counting attempts', async () => {
    const attempts: number[] = [];
    const { open, send, isEmpty } = await aConsumer('retry', async ({ attempt }) => {
      attempts.push(attempt);
      return attempt < 3 ? retryAfter(1) : done;
    });
    await open();
    await send('x');
    await until(isEmpty);
    expect(attempts).toEqual([1, 2, 3]);
  });

  it('parks with the reason what says so, what is hopeless, and what fails too often', async () => {
    class Hopeless extends PlatformError {
      readonly code = 'HOPELESS';
      readonly redelivery = 'park';
    }
    const tried: string[] = [];
    const troubles: Outcome['kind'][] = [];
    const { open, send, isEmpty, parked } = await aConsumer(
      'park',
      async (delivery) => {
        const text = textOf(delivery);
        tried.push(text);
        if (text === 'says so') return park('no such agent');
        if (text === 'hopeless') throw new Hopeless('not an event');
        if (text === 'asks for ever') return retryAfter(1);
        throw new TypeError('a bug\nin two lines');
      },
      { maxAttempts: 2, onTrouble: (_, { kind }) => troubles.push(kind) },
    );
    await open();
    for (const text of ['says so', 'hopeless', 'fails', 'asks for ever']) await send(text);
    await until(isEmpty);
    const letters = await parked();
    expect(letters.map(({ data, reason, attempts }) => [new TextDecoder().decode(data), reason, attempts])).toEqual([
      ['says so', 'no such agent', 1],
      ['hopeless', 'not an event', 1],
      ['fails', 'a bug in two lines', 2],
      ['asks for ever', 'still not done after 2 attempts', 2],
    ]);
    expect(letters.map(({ stream, consumer }) => `${stream}/${consumer}`)).toEqual(Array(4).fill('TIMERS/park'));
    expect(tried.filter((text) => text === 'fails')).toHaveLength(2);
    expect(troubles.filter((kind) => kind === 'park')).toHaveLength(4);
  });

  it('tells the server that it still works, so nobody else is given the message', async () => {
    let isReleased = false;
    const attempts: number[] = [];
    const { open, send, isEmpty } = await aConsumer(
      'slow',
      async ({ attempt }) => {
        attempts.push(attempt);
        const deadline = Date.now() + 900; // three times what the server waits for word
        while (Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
        isReleased = true;
        return done;
      },
      { ackWaitMs: 300 },
    );
    await open();
    await open();
    await send('x');
    await until(async () => isReleased && (await isEmpty()));
    expect(attempts).toEqual([1]);
  });

  it('is given again what a process took with it, and stops handling it after so many times', async () => {
    let taken = 0;
    const { open, send, isEmpty, parked } = await aConsumer(
      'crash',
      () => {
        taken += 1;
        return new Promise(() => {}); // never settles, like a process that is gone
      },
      { ackWaitMs: 150, maxAttempts: 2 },
    );
    // A process that dies sends no heartbeats: close its connection while it holds the message.
    for (const expected of [1, 2]) {
      const nats = await spec.connect();
      await DurableConsumer.open(nats, { stream: STREAMS.timers, durable: 'crash', maxAttempts: 2 }, () => {
        taken += 1;
        return new Promise(() => {});
      });
      if (expected === 1) await send('poison');
      await until(() => taken === expected);
      await nats.close();
    }
    await open();
    await until(isEmpty);
    expect(taken).toBe(2);
    expect((await parked()).map(({ reason }) => reason)).toEqual(['delivered 3 times and never settled']);
  });

  it('works on as many at a time as it may, and waits for them when it is closed', async () => {
    const release: (() => void)[] = [];
    let most = 0;
    let now = 0;
    const { open, send, isEmpty } = await aConsumer(
      'many',
      async () => {
        most = Math.max(most, (now += 1));
        await new Promise<void>((resolve) => release.push(resolve));
        now -= 1;
        return done;
      },
      { concurrency: 3 },
    );
    const consumer = await open();
    for (let at = 0; at < 7; at += 1) await send(`m${at}`);
    await until(() => release.length === 3);
    const closing = consumer.close(10_000);
    for (const go of release.splice(0)) go();
    await closing;
    expect({ most, now }).toEqual({ most: 3, now: 0 });
    await open();
    await until(async () => {
      for (const go of release.splice(0)) go();
      return isEmpty();
    });
    expect(most).toBe(3);
  });

  it('asks once for all its slots, and takes no message it has no slot for', async () => {
    const release: (() => void)[] = [];
    const { open, send, isEmpty, info } = await aConsumer(
      'demand',
      async () => {
        await new Promise<void>((resolve) => release.push(resolve));
        return done;
      },
      { concurrency: 3 },
    );
    await open();
    await until(async () => (await info()).num_waiting === 1);
    for (let at = 0; at < 7; at += 1) await send(`m${at}`);
    await until(async () => (await info()).num_ack_pending === 3);
    expect((await info()).num_pending).toBe(4);
    for (let left = 6; left >= 0; left -= 1) {
      await until(() => release.length > 0);
      release.shift()?.();
      await until(async () => (await info()).num_pending + (await info()).num_ack_pending === left);
      expect((await info()).num_ack_pending).toBe(Math.min(3, left));
    }
    expect(await isEmpty()).toBe(true);
  });

  it('gives back at once what comes while it is closed', async () => {
    const handled: string[] = [];
    let closing: Promise<void> | undefined;
    const { open, send, isEmpty } = await aConsumer(
      'closing',
      async (delivery) => {
        handled.push(textOf(delivery));
        closing ??= first.close(10_000); // the next ones are in the same packet
        return done;
      },
      { concurrency: 50, ackWaitMs: 3_600_000 }, // what is kept back comes after this spec's time
    );
    const texts = Array.from({ length: 100 }, (_, at) => `m${at}`);
    for (const text of texts) await send(text);
    const first = await open();
    await until(() => closing !== undefined);
    await closing;
    expect(handled).toEqual(['m0']);
    await open();
    await until(isEmpty);
    expect([...handled].sort()).toEqual([...texts].sort());
  });

  it('knows that a message waits, also of one that came when all its slots were taken', async () => {
    const release: (() => void)[] = [];
    const held: JetStreamDelivery[] = [];
    const { open, send, isEmpty } = await aConsumer(
      'others',
      async (delivery) => {
        held.push(delivery);
        await new Promise<void>((resolve) => release.push(resolve));
        return done;
      },
      { concurrency: 2 },
    );
    await open();
    await send('a');
    await until(() => held.length === 1);
    expect(held[0]?.othersWait()).toBe(false);
    await send('b');
    await until(() => held.length === 2);
    await send('c');
    await until(() => held[0]?.othersWait() === true);
    release.shift()?.();
    await until(() => held.length === 3);
    await until(() => held[1]?.othersWait() === false);
    for (const go of release) go();
    await until(isEmpty);
  });

  it('leaves no message waiting while a slot is free, however they come', async () => {
    const waiting = new Map<string, () => void>();
    const { open, send, isEmpty } = await aConsumer(
      'burst',
      async (delivery) => {
        await new Promise((turn) => setImmediate(turn));
        waiting.get(textOf(delivery))?.();
        return done;
      },
      { concurrency: 5, ackWaitMs: 3_600_000 }, // one that is lost on the way is waited for in vain
    );
    await open();
    await open();
    const senders = Array.from({ length: 32 }, async (_, sender) => {
      for (let round = 0; round < 40; round += 1) {
        const text = `${sender}/${round}`;
        const handled = new Promise<void>((resolve) => waiting.set(text, resolve));
        await send(text);
        await handled;
      }
    });
    await Promise.all(senders);
    await until(isEmpty);
  });
});
