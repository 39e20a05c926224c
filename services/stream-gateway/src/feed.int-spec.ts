import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, Problem, type RunEvent, type RunRef } from '@millrace/contracts';
import { type Gateway, GatewayWorld, eventsOf, tokens } from './gateway-world.for-spec.js';
import type { Message } from './sse-client.for-spec.js';

let world: GatewayWorld;
let one: Gateway;
let two: Gateway;
beforeAll(async () => {
  world = await GatewayWorld.start();
  [one, two] = [await world.gateway(), await world.gateway()];
});
afterAll(() => world.stop());

const { RunRequested, RunStarted, RunFailed, RunFinished, InputRequested, ToolRequested } = FACT_FIXTURES;
const idOf = (message: Message | undefined): string => message?.id ?? '';
const about = (messages: readonly Message[]): string[] =>
  eventsOf(messages).map(({ kind, runId }: RunEvent) => `${kind} ${runId}`);
const told = (run: RunRef, ...kinds: string[]): string[] => kinds.map((kind) => `${kind} ${run.runId}`);

describe('A feed over the runs of a tenant', () => {
  it('tells what was stored, over all runs and in that order, and then what is stored', async () => {
    const [first, second] = [await world.run(), await world.run()];
    const now = (await world.open(one, '/agents/events?kinds=RunStarted,RunFailed,InputRequested')).take(2);
    await world.say(first, RunStarted, ...tokens('a', 'b'));
    await world.say(second, RunStarted, InputRequested, RunFinished);
    await world.say(first, RunFailed);
    expect(about(await now)).toEqual([...told(first, 'RunStarted'), ...told(second, 'RunStarted')]);

    const client = await world.open(two, '/agents/events?kinds=RunFailed,InputRequested&after=start');
    const [asked, failed] = await client.take(2);
    expect(about([asked!, failed!])).toEqual([...told(second, 'InputRequested'), ...told(first, 'RunFailed')]);

    const third = await world.run();
    const goesOn = (
      await world.open(one, '/agents/events?kinds=RunFailed,InputRequested', { 'last-event-id': idOf(asked) })
    ).take(2);
    await world.say(third, RunStarted, InputRequested);
    expect(about(await goesOn)).toEqual([...told(first, 'RunFailed'), ...told(third, 'InputRequested')]);
  });

  it('tells every public kind unless it is asked for some, and nothing internal', async () => {
    const run = await world.run(world.bob);
    const authorization = `Bearer ${await world.token({ tenant_id: world.bob })}`;
    const handoff = { ...ToolRequested, tool: 'transfer_to_critic', toolUseId: 'h' };
    await world.say(run, RunStarted, handoff, FACT_FIXTURES.EffectRecorded, ...tokens('a'), RunFinished);
    const heard = await (await world.open(one, '/agents/events?after=start', { authorization })).take(3);
    expect(about(heard)).toEqual(told(run, 'RunStarted', 'TokenDelta', 'RunFinished'));
    const some = await world.open(one, '/agents/events?after=start&kinds=ToolRequested,RunFinished', { authorization });
    expect(about(await some.take(1))).toEqual(told(run, 'RunFinished'));
  });

  it('tells of one agent only, when it is asked to: also what does not name the agent itself', async () => {
    const other = await world.run();
    const asked = await world.run(world.ada, { ...RunRequested, agent: 'critic' });
    await world.say(other, RunStarted, RunFailed);
    await world.say(asked, RunStarted, RunFailed);
    const client = await world.open(two, '/agents/events?kinds=RunFailed&agent=critic&after=start');
    expect(about(await client.take(1))).toEqual(told(asked, 'RunFailed'));
  });

  it('has nothing twice and nothing missing, whoever writes while a client comes and goes between processes', async () => {
    const runs = await Promise.all(Array.from({ length: 6 }, () => world.run()));
    const path = '/agents/events?kinds=RunStarted,TokenDelta,RunFinished';
    const begin = await world.open(one, `${path}&after=now`);
    const writing = Promise.all(
      runs.map((run) =>
        world.say(run, RunStarted, ...tokens(...Array.from({ length: 40 }, (_, at) => `${at}`)), RunFinished),
      ),
    );
    const heard: Message[] = [...(await begin.take(1))];
    begin.close();
    for (let turn = 0; heard.length < 6 * 42; turn += 1) {
      const client = await world.open(turn % 2 ? one : two, path, { 'last-event-id': idOf(heard.at(-1)) });
      heard.push(...(await client.take(Math.min(1 + ((turn * 13) % 29), 6 * 42 - heard.length))));
      client.close();
    }
    await writing;
    for (const run of runs) {
      const own = eventsOf(heard).filter(({ runId }) => runId === run.runId);
      const stored = (await world.log.read(run)).events.filter((event) => 'sequence' in event);
      expect(own).toEqual(stored);
    }
  });

  it('never tells of another tenant, whatever cursor it is given', async () => {
    const theirs = await world.run(world.bob);
    await world.say(theirs, RunStarted, RunFailed);
    const authorization = `Bearer ${await world.token({ tenant_id: world.bob })}`;
    const [last] = await (
      await world.open(one, '/agents/events?kinds=RunFailed&after=start', { authorization })
    ).take(1);
    const refused = await world.open(one, '/agents/events', { 'last-event-id': idOf(last) });
    expect([refused.status, Problem.parse(await refused.response.json()).errors?.[0]?.field]).toEqual([
      400,
      'Last-Event-ID',
    ]);
    const client = await world.open(one, '/agents/events?kinds=RunFailed&after=start');
    const mine = await world.run();
    const heard = client.all();
    await world.say(mine, RunStarted, RunFailed);
    const seen = await world.open(two, '/agents/events?kinds=RunFailed&after=start');
    for (const event of eventsOf(await seen.take(2))) expect(event.tenantId).toBe(world.ada);
    client.close();
    await expect(heard).rejects.toThrow();
  });

  it.each([
    ['kinds', '?kinds=RunRequested'],
    ['kinds', '?kinds=Nonsense'],
    ['kinds', '?kinds='],
    ['after', '?after=x!'],
    ['after', '?after=abc'],
    ['agent', '?agent='],
  ])('refuses a bad %s, which it names: %s', async (field, query) => {
    const refused = await world.open(one, `/agents/events${query}`);
    expect(refused.status).toBe(400);
    expect(Problem.parse(await refused.response.json()).errors).toEqual([expect.objectContaining({ field })]);
  });

  it('needs a token', async () => {
    expect((await world.open(one, '/agents/events', { authorization: '' })).status).toBe(401);
  });
});
