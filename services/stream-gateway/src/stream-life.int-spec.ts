import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, StreamClosing } from '@millrace/contracts';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Gateway, GatewayWorld, idsOf, paths, tokens } from './gateway-world.for-spec.js';
import type { Message, SseClient } from './sse-client.for-spec.js';

let world: GatewayWorld;
beforeAll(async () => {
  world = await GatewayWorld.start();
});
afterAll(() => world.stop());

const { RunStarted, RunFinished } = FACT_FIXTURES;
const closingIn = (messages: readonly Message[]): StreamClosing => {
  const last = messages.at(-1);
  expect(last).toMatchObject({ event: 'closing' });
  expect(last).not.toHaveProperty('id');
  return StreamClosing.parse(JSON.parse(last?.data ?? '{}'));
};

describe('A stream whose token expires', () => {
  it('ends with the reason and a cursor, and goes on with a new token', async () => {
    const gateway = await world.gateway();
    const run = await world.run();
    await world.say(run, RunStarted, ...tokens('a'));
    const authorization = `Bearer ${await world.token({}, Math.floor(Date.now() / 1_000) + 1)}`;
    const messages = await (await world.open(gateway, paths.native(run), { authorization })).all();
    const { code, cursor } = closingIn(messages);
    expect([code, cursor, ...idsOf(messages)]).toEqual(['TOKEN_EXPIRED', '1', 0, 1]);
    await world.say(run, RunFinished);
    const rest = await (await world.open(gateway, paths.native(run), { 'last-event-id': cursor ?? '' })).all();
    expect(idsOf(rest)).toEqual([2]);
  });
});

describe('A process that is told to end', () => {
  it('sends its streams elsewhere, where they go on, and takes no new ones', async () => {
    const [ending, staying] = [await world.gateway(), await world.gateway()];
    const run = await world.run();
    const early = await world.open(ending, paths.thread(run));
    const native = await world.open(ending, paths.native(run));
    const heard = native.take(1);
    await world.say(run, RunStarted);
    await heard;
    const last = [early.all(), native.all()];
    await ending.app.close();
    const [nothing, something] = await Promise.all(last);
    expect(closingIn(nothing!)).toEqual({ code: 'SHUTTING_DOWN', cursor: '0' }); // has no word for it, but has had it
    expect(closingIn(something!)).toEqual({ code: 'SHUTTING_DOWN', cursor: '0' });
    expect(native.retries.at(-1)).toBeLessThanOrEqual(2_000);
    await expect(fetch(`${ending.url}/health/ready`)).rejects.toThrow();
    const goesOn = (await world.open(staying, paths.native(run), { 'last-event-id': '0' })).all();
    await world.say(run, RunFinished);
    expect(idsOf(await goesOn)).toEqual([1]);
  });
});

describe('A quiet stream', () => {
  it('has a comment now and then, which is no event', async () => {
    const gateway = await world.gateway({ HEARTBEAT_SECONDS: '1' });
    const run = await world.run();
    const client = await world.open(gateway, paths.thread(run));
    const all = client.all();
    await until(() => client.comments.length >= 3);
    await world.say(run, RunStarted, RunFinished);
    expect(idsOf(await all)).toEqual([1]);
    expect(client.comments[0]?.length).toBeGreaterThan(2_000); // fills the buffers of proxies
    expect(client.comments.slice(1).map((comment) => comment.trim())).toContain('ping');
  });
});

describe('A reader that takes nothing', () => {
  it('is dropped with a cursor while others go on, and finds the rest when it comes back', async () => {
    const gateway = await world.gateway({ STALL_SECONDS: '2' });
    const run = await world.run();
    const text = 'x'.repeat(20_000);
    const count = 500;
    const slow = await SlowReader.open(gateway, paths.native(run), await world.token());
    const quick = (await world.open(gateway, paths.native(run))).all();
    await world.say(run, RunStarted, ...tokens(...Array.from({ length: count }, () => text)), RunFinished);
    expect(idsOf(await quick)).toHaveLength(count + 2);
    await until(async () => (await healthOf(gateway))['dropped'] === 1);
    const heard = await slow.rest();
    const ids = [...heard.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    const last = ids.at(-1) ?? -1;
    expect(last).toBeLessThan(count);
    const rest = await (await world.open(gateway, paths.native(run), { 'last-event-id': String(last) })).all();
    expect(idsOf(rest)).toEqual(Array.from({ length: count + 1 - last }, (_, at) => last + 1 + at));
    expect((await healthOf(gateway))['streams']).toBe(0);
  });
});

describe('A client that goes away', () => {
  it('leaves nothing behind', async () => {
    const gateway = await world.gateway();
    const run = await world.run();
    const clients: SseClient[] = [];
    for (let at = 0; at < 5; at += 1) clients.push(await world.open(gateway, paths.native(run)));
    expect(await healthOf(gateway)).toMatchObject({ status: 'ready', streams: 5, runs: 1, tenants: 1 });
    for (const client of clients) client.close();
    await until(async () => (await healthOf(gateway))['streams'] === 0);
    expect(await healthOf(gateway)).toMatchObject({ streams: 0, runs: 0, tenants: 0 });
  });
});

const healthOf = async ({ url }: Gateway): Promise<Record<string, unknown>> =>
  (await (await fetch(`${url}/health/ready`)).json()) as Record<string, unknown>;

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** Asks, and then reads nothing until it is told to. */
class SlowReader {
  private constructor(private readonly socket: Socket) {}

  static async open({ url }: Gateway, path: string, token: string): Promise<SlowReader> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`);
    await once(socket, 'data');
    socket.pause();
    return new SlowReader(socket);
  }

  async rest(): Promise<string> {
    let text = '';
    for await (const chunk of this.socket) text += String(chunk);
    return text;
  }
}
