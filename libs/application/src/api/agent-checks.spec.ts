import { describe, expect, it } from '@jest/globals';
import { CountingEventIds, InMemoryRunLog, ManualClock } from '@millrace/adapter-memory';
import { aTenantId, RunId } from '@millrace/contracts';
import { StoreUnavailable } from '@millrace/ports';
import { announcementOf } from '@millrace/testing';
import { AgentChecks } from './agent-checks.js';
import { AnnouncedAgents } from './announced.for-spec.js';
import { RunOrders } from './run-orders.js';

const ada = { tenantId: aTenantId, userId: 'ada' };
const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const order = { agent: 'echo', appId: 'demo', policy: 'default', input: { text: 'hello' } };

const aWorld = (announced: AnnouncedAgents) => {
  const [log, ids] = [new InMemoryRunLog(), new CountingEventIds()];
  const newRunId = () => RunId.parse(ids.next());
  const checks = new AgentChecks(announced.known);
  const orders = new RunOrders({ log, ids, clock: new ManualClock() }, newRunId, order, checks);
  return { orders, checks, log };
};

describe('A run that is asked for', () => {
  it('is refused when nobody ever announced its agent, by the names of those there are', async () => {
    const { orders } = aWorld(new AnnouncedAgents({ treadmill: undefined, echo: TEXT }));
    await expect(orders.start(ada, { ...order, agent: 'ekho' })).rejects.toMatchObject({
      ...{ code: 'AGENT_NOT_FOUND', message: 'There is no agent ekho: there are echo, treadmill' },
    });
    await expect(aWorld(new AnnouncedAgents()).orders.start(ada, order)).rejects.toMatchObject({
      message: 'There is no agent echo: there is none yet; start a worker that has it',
    });
  });

  it('is refused for an input its agent does not take, by the field', async () => {
    const { orders, log } = aWorld(new AnnouncedAgents({ echo: TEXT }));
    await expect(orders.start(ada, { ...order, input: {} }, 'key')).rejects.toMatchObject({
      ...{ code: 'INPUT_INVALID', message: 'Agent echo: input.text is missing: it must be a string' },
      problems: [{ field: 'input.text', message: 'is missing: it must be a string' }],
    });
    const runId = await orders.start(ada, order, 'key'); // nothing was stored under the key
    expect((await log.read({ tenantId: aTenantId, runId })).events).toHaveLength(1);
  });

  it('is taken when its agent says nothing of its input, or no worker has it just now', async () => {
    const { orders } = aWorld(new AnnouncedAgents({ echo: undefined }));
    await expect(orders.start(ada, { ...order, input: 7 })).resolves.toBeDefined();
  });

  it('is taken when its agent was announced a moment ago', async () => {
    const announced = new AnnouncedAgents({ echo: TEXT });
    announced.unheard.push(announcementOf('late'));
    await expect(aWorld(announced).orders.start(ada, { ...order, agent: 'late' })).resolves.toBeDefined();
  });

  it('needs no read of the catalogue when its agent is known, and is not refused as unknown without one', async () => {
    const announced = new AnnouncedAgents({ echo: TEXT });
    announced.away = new StoreUnavailable('away');
    const { orders } = aWorld(announced);
    await expect(orders.start(ada, order)).resolves.toBeDefined();
    expect(announced.reads).toBe(0);
    const unknown = orders.start(ada, { ...order, agent: 'late' });
    await expect(unknown).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('is answered as before when it is repeated with its key, whatever its agent takes by now', async () => {
    const announced = new AnnouncedAgents({ echo: undefined });
    const { orders } = aWorld(announced);
    const runId = await orders.start(ada, { ...order, input: 7 }, 'key');
    announced.announce(announcementOf('echo', { inputSchema: TEXT, version: '2' }));
    expect(await orders.start(ada, { ...order, input: 7 }, 'key')).toBe(runId);
    await expect(orders.start(ada, { ...order, input: 7 }, 'other')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('is checked by the version it would start with', async () => {
    const announced = new AnnouncedAgents({ echo: TEXT });
    announced.announce(announcementOf('echo', { version: '2' }));
    const { checks } = aWorld(announced);
    await expect(checks.requireInput('echo', {})).resolves.toBeUndefined();
    announced.serve(['echo', '1']);
    await expect(checks.requireInput('echo', {})).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});
