import { describe, expect, it } from '@jest/globals';
import { CountingEventIds, InMemoryRunLog, ManualClock } from '@millrace/adapter-memory';
import { aRequestId, aTenantId, RunId, type RunRef } from '@millrace/contracts';
import { cancelRun, confirmCancel, requestInput, scheduleNodes, startNode, startRun } from '@millrace/testing';
import { RunCommandHandler } from '../run-command-handler.js';
import { AgentChecks } from './agent-checks.js';
import { AnnouncedAgents } from './announced.for-spec.js';
import { type RunDefaults, RunOrders } from './run-orders.js';

const ada = { tenantId: aTenantId, userId: 'ada' };
const order = { agent: 'echo', appId: 'demo', policy: 'default', input: { text: 'hello' } };

const world = () => {
  const log = new InMemoryRunLog();
  const ids = new CountingEventIds();
  const ports = { log, ids, clock: new ManualClock() };
  const agents = new AgentChecks(new AnnouncedAgents({ echo: undefined, critic: undefined }).known);
  const ordersWith = (defaults: RunDefaults) => new RunOrders(ports, () => RunId.parse(ids.next()), defaults, agents);
  const orders = ordersWith(order);
  const others = new RunCommandHandler(ports);
  const aRunning = async (): Promise<RunRef> => {
    const ref = { tenantId: aTenantId, runId: await orders.start(ada, order) };
    for (const command of [startRun(ref), scheduleNodes(ref), startNode(ref)]) await others.handle(command);
    return ref;
  };
  const kinds = async (ref: RunRef) => (await log.read(ref)).events.map(({ kind }) => kind);
  return { log, orders, ordersWith, others, aRunning, kinds };
};

describe('Orders', () => {
  it('start a run of its own each time, and one for all with the same key', async () => {
    const { orders } = world();
    expect(await orders.start(ada, order)).not.toBe(await orders.start(ada, order));
    const twins = await Promise.all(Array.from({ length: 5 }, () => orders.start(ada, order, 'key')));
    expect(new Set(twins).size).toBe(1);
    const changed = orders.start(ada, { ...order, input: { text: 'bye' } }, 'key');
    await expect(changed).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    const anothers = orders.start({ ...ada, userId: 'bob' }, order, 'key');
    await expect(anothers).rejects.toMatchObject({ code: 'RUN_EXISTS' });
  });

  it('start a run that was given no input, and know it again', async () => {
    const { orders } = world();
    const { input, ...without } = order;
    expect(await orders.start(ada, without, 'key')).toBe(await orders.start(ada, { ...without, input: null }, 'key'));
  });

  it('start the run of their key whatever the defaults have become, and no other by saying what was left out', async () => {
    const { log, orders, ordersWith } = world();
    const { input } = order;
    const runId = await orders.start(ada, { input }, 'key');
    expect((await log.read({ tenantId: aTenantId, runId })).events[0]).toMatchObject(order);
    const later = ordersWith({ agent: 'critic', appId: 'atlas', policy: 'careful' });
    expect(await later.start(ada, { input }, 'key')).toBe(runId);
    for (const said of [{ agent: 'critic' }, { appId: 'atlas' }, { policy: 'careful' }, order]) {
      await expect(later.start(ada, { input, ...said }, 'key')).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    }
    await expect(later.start(ada, { input: 'other' }, 'key')).rejects.toMatchObject({ code: 'RUN_EXISTS' });
  });

  it('are refused for a run nobody asked for', async () => {
    const { orders } = world();
    const runId = RunId.parse('01JD000000000000000000000Q');
    for (const refused of [
      orders.cancel(ada, runId),
      orders.pause(ada, runId),
      orders.resume(ada, runId),
      orders.done(ada, runId),
      orders.answer(ada, runId, aRequestId, { text: 'Ada' }),
    ]) {
      await expect(refused).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    }
  });

  it('answer a request in the shape it asks for, and append nothing in another', async () => {
    const { orders, others, aRunning, kinds } = world();
    const ref = await aRunning();
    await others.handle(requestInput({ ...ref, request: { type: 'queryConsent', question: 'May I?' } }));
    const wrong = orders.answer(ada, ref.runId, aRequestId, { consent: 'yes' });
    await expect(wrong).rejects.toMatchObject({ problems: [{ field: 'response.consent' }] });
    expect((await kinds(ref)).at(-1)).toBe('InputRequested');
    expect(await orders.answer(ada, ref.runId, aRequestId, { consent: true })).toBe('RUNNING');
    const late = orders.answer(ada, ref.runId, aRequestId, { consent: 'yes' });
    await expect(late).rejects.toMatchObject({ code: 'INPUT_ALREADY_ANSWERED' });
  });

  it('do not ask for the shape of an answer that nobody waits for any more', async () => {
    const { orders, others, aRunning } = world();
    const ref = await aRunning();
    for (const command of [requestInput(ref), cancelRun(ref), confirmCancel(ref)]) await others.handle(command);
    const late = orders.answer(ada, ref.runId, aRequestId, 'whatever');
    await expect(late).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });
});
