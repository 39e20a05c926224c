import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, Problem, RunId, type RunRef } from '@millrace/contracts';
import { eventsOf, type Gateway, GatewayWorld, idsOf, paths, tokens } from './gateway-world.for-spec.js';

let world: GatewayWorld;
let one: Gateway;
let two: Gateway;
beforeAll(async () => {
  world = await GatewayWorld.start();
  [one, two] = [await world.gateway(), await world.gateway()];
});
afterAll(() => world.stop());

const { RunStarted, NodeScheduled, NodeStarted, ToolRequested, ToolFinished, RunFinished, GoalAchieved } =
  FACT_FIXTURES;
const ENDED = [
  RunStarted,
  NodeScheduled,
  NodeStarted,
  ToolRequested,
  ToolFinished,
  ...tokens('hel', 'lo'),
  RunFinished,
];

describe('A run that has ended', () => {
  let run: RunRef;
  beforeAll(async () => {
    run = await world.run();
    await world.say(run, ...ENDED, GoalAchieved);
  });

  it('is told from its first public event to its last, as it is in the log, and then the stream ends', async () => {
    const client = await world.open(one, paths.native(run));
    expect(client.status).toBe(200);
    expect(client.response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(client.response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(client.response.headers.get('x-accel-buffering')).toBe('no');
    const messages = await client.all();
    const stored = (await world.log.read(run)).events.filter((event) => 'sequence' in event);
    expect(eventsOf(messages)).toEqual(stored);
    expect(messages[0]).toMatchObject({ id: '0', data: expect.stringContaining('"RunStarted"') });
    expect(idsOf(messages)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(client.retries).toEqual([2_000]);
  });

  it.each([
    ['fromSeq, which is the first wanted', '?fromSeq=4', {}, [4, 5, 6]],
    ['Last-Event-ID, which is the last known', '', { 'last-event-id': '4' }, [5, 6]],
    ['Last-Event-ID when there are both: a browser repeats its address', '?fromSeq=0', { 'last-event-id': '5' }, [6]],
    ['an empty Last-Event-ID, which is none', '?fromSeq=6', { 'last-event-id': '' }, [6]],
  ])('is told from %s', async (_, query, headers, ids) => {
    for (const gateway of [one, two]) {
      const client = await world.open(gateway, `${paths.native(run)}${query}`, headers);
      expect(idsOf(await client.all())).toEqual(ids);
    }
  });

  it('is told in the agent dialect, complete and finish at its end under one id', async () => {
    const messages = await (await world.open(one, paths.agent(run))).all();
    const types = messages.map(({ data }) => (JSON.parse(data) as { type: string }).type);
    expect(types).toEqual(['start', 'functionCall', 'functionResult', 'content', 'content', 'complete', 'finish']);
    expect(messages.map(({ id }) => id)).toEqual(['0', '2', '3', '4', '5', undefined, '6']);
  });

  it('is told in the thread dialect, with names, from any number', async () => {
    const client = await world.open(two, paths.thread(run), { 'last-event-id': '2' });
    expect(await client.all()).toEqual([
      { id: '3', event: 'tool_end', data: '{"tool":"search","output":{"hits":3}}' },
      { id: '4', event: 'token', data: '{"text":"hel"}' },
      { id: '5', event: 'token', data: '{"text":"lo"}' },
      { event: 'final', data: '{"text":"hello","sources":[]}' },
      { id: '6', event: 'state', data: '{"status":"done"}' },
    ]);
  });

  it('has no more to tell behind its end, and says so in a way that ends a browser’s tries', async () => {
    for (const path of Object.values(paths)) {
      expect((await world.open(one, path(run), { 'last-event-id': '6' })).status).toBe(204);
      expect((await world.open(one, `${path(run)}?fromSeq=7`)).status).toBe(204);
    }
  });

  it('is only announced to HEAD', async () => {
    const authorization = `Bearer ${await world.token()}`;
    const response = await fetch(one.url + paths.native(run), { method: 'HEAD', headers: { authorization } });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  });
});

describe('A run that goes on', () => {
  it('may be followed before it has started, and what is stored is heard at once, by whoever follows anywhere', async () => {
    const run = await world.run();
    const clients = await Promise.all([
      world.open(one, paths.native(run)),
      world.open(one, paths.native(run)),
      world.open(two, paths.native(run), { 'last-event-id': '1' }),
    ]);
    const heard = clients.map((client) => client.all());
    await world.say(run, ...ENDED);
    const [first, second, third] = await Promise.all(heard);
    expect(idsOf(first!)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(second).toEqual(first);
    expect(idsOf(third!)).toEqual([2, 3, 4, 5, 6]);
  });

  it('has neither a gap nor a repetition where its history meets the present', async () => {
    const run = await world.run();
    const texts = Array.from({ length: 700 }, (_, at) => `${at} `);
    await world.say(run, RunStarted, ...tokens(...texts.slice(0, 300)));
    const writing = world.say(run, ...tokens(...texts.slice(300)), RunFinished);
    const clients = await Promise.all(
      Array.from({ length: 12 }, (_, at) => world.open(at % 2 ? one : two, `${paths.native(run)}?fromSeq=${at * 50}`)),
    );
    const told = await Promise.all(clients.map((client) => client.all()));
    await writing;
    told.forEach((messages, at) => {
      expect(idsOf(messages)).toEqual(Array.from({ length: 702 - at * 50 }, (_, index) => at * 50 + index));
    });
  });

  it('shows nothing internal', async () => {
    const run = await world.run();
    const { EffectRecorded, NodeSuspended, CheckpointSaved, AgentChanged } = FACT_FIXTURES;
    const handoff = { ...ToolRequested, tool: 'transfer_to_critic', toolUseId: 'h' };
    await world.say(
      run,
      RunStarted,
      EffectRecorded,
      NodeSuspended,
      handoff,
      CheckpointSaved,
      AgentChanged,
      RunFinished,
    );
    for (const path of [paths.native, paths.agent, paths.thread]) {
      const text = JSON.stringify(await (await world.open(one, path(run))).all());
      expect(text).not.toMatch(/EffectRecorded|Suspended|transfer_to|Checkpoint|AgentChanged|RunRequested/);
    }
  });

  it('reads a payload from the object store like any other', async () => {
    const run = await world.run();
    const output = { text: 'x'.repeat(200_000) };
    await world.say(run, RunStarted, { ...RunFinished, output });
    const messages = await (await world.open(one, paths.native(run))).all();
    expect(eventsOf(messages)[1]).toMatchObject({ output });
  });
});

describe('A page on another origin', () => {
  it('may read a stream when it is one of those that may, and is told so with the stream', async () => {
    const gateway = await world.gateway({ CORS_ORIGINS: 'https://console.example' });
    const run = await world.run();
    const known = await world.open(gateway, paths.native(run), { origin: 'https://console.example' });
    expect(known.response.headers.get('access-control-allow-origin')).toBe('https://console.example');
    expect(known.response.headers.get('access-control-allow-credentials')).toBe('true');
    expect(known.response.headers.get('x-content-type-options')).toBe('nosniff');
    const other = await world.open(gateway, paths.native(run), { origin: 'https://elsewhere.example' });
    expect(other.response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('A stream is refused', () => {
  let run: RunRef;
  beforeAll(async () => {
    run = await world.run();
  });
  const problem = async (client: { status: number; response: Response }): Promise<Problem> => {
    expect(client.response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    return Problem.parse(await client.response.json());
  };

  it.each(Object.entries(paths))('in the %s dialect without a token, or with a bad one', async (_, path) => {
    for (const authorization of ['', 'Bearer x', 'Basic eDp5']) {
      const refused = await problem(await world.open(one, path(run), { authorization }));
      expect(refused).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    }
    const authorization = `Bearer ${await world.token({ scope: 'runs:write' })}`;
    expect(await problem(await world.open(one, path(run), { authorization }))).toMatchObject({ code: 'FORBIDDEN' });
  });

  it.each(Object.entries(paths))(
    "in the %s dialect for another tenant's run exactly as for one that is not there",
    async (_, path) => {
      const authorization = `Bearer ${await world.token({ tenant_id: world.bob })}`;
      const foreign = await problem(await world.open(one, path(run), { authorization }));
      const missing = await problem(await world.open(one, path({ ...run, runId: RunId.parse(world.ids.next()) })));
      const { instance: _a, requestId: _b, ...told } = foreign;
      const { instance: _c, requestId: _d, ...unknown } = missing;
      expect(told).toEqual(unknown);
      expect(told).toMatchObject({ status: 404, code: 'RUN_NOT_FOUND' });
    },
  );

  it.each([
    ['fromSeq', '?fromSeq=-1', {}],
    ['fromSeq', '?fromSeq=abc', {}],
    ['fromSeq', '?fromSeq=1&fromSeq=2', {}],
    ['Last-Event-ID', '', { 'last-event-id': 'x' }],
    ['Last-Event-ID', '?fromSeq=1', { 'last-event-id': '-5' }],
  ])('for a bad %s, which it names', async (field, query, headers) => {
    const refused = await problem(await world.open(one, `${paths.native(run)}${query}`, headers));
    expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect(refused.errors).toEqual([expect.objectContaining({ field })]);
  });

  it('for what is no id', async () => {
    for (const id of ['*', '%3E', 'x.y']) {
      expect((await problem(await world.open(one, `/agents/runs/${id}/stream`))).status).toBe(400);
    }
  });

  it('when a tenant, or the process, has too many', async () => {
    const small = await world.gateway({ MAX_STREAMS: '3', MAX_STREAMS_PER_TENANT: '2' });
    const bobs = await world.run(world.bob);
    const asBob = { authorization: `Bearer ${await world.token({ tenant_id: world.bob })}` };
    const first = await world.open(small, paths.native(run));
    await world.open(small, paths.native(run));
    const third = await world.open(small, paths.native(run));
    expect(await problem(third)).toMatchObject({ status: 429, code: 'TOO_MANY_STREAMS' });
    expect(third.response.headers.get('retry-after')).toBe('5');
    expect((await world.open(small, paths.native(bobs), asBob)).status).toBe(200);
    expect(await problem(await world.open(small, paths.native(bobs), asBob))).toMatchObject({ code: 'GATEWAY_FULL' });
    first.close();
    for (;;) if ((await world.open(small, paths.native(run))).status === 200) break;
  });
});
