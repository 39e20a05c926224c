import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { ManualClock, memoryPlatform } from '@millrace/adapter-memory';
import { AgentRegistry } from '@millrace/agent-sdk';
import { agents, echo } from '@millrace/agents';
import { inputChecker, WorkerId } from '@millrace/contracts';
import { type AgentCatalogue, StoreUnavailable } from '@millrace/ports';
import { Logger } from '@nestjs/common';
import { AgentAnnouncer } from './agent-announcer.js';

Logger.overrideLogger(false);

const workerId = WorkerId.parse('01JD0000000000000000000001');
const never = new AbortController().signal;
const aCatalogue = () => memoryPlatform({ clock: new ManualClock() }).catalogue;
const announcerOf = (catalogue: AgentCatalogue, registry = new AgentRegistry(agents)) =>
  new AgentAnnouncer(catalogue, registry, workerId);

describe('A worker', () => {
  it('announces each agent it has, and that it serves it, until it stops', async () => {
    const catalogue = aCatalogue();
    const known = await catalogue.watch(never);
    const announcer = announcerOf(catalogue);
    const areServed = new Promise<void>((resolve) =>
      known.onChange(() => {
        if (agents.every(({ id, version }) => known.isServed(id, version))) resolve();
      }),
    );
    announcer.onApplicationBootstrap();
    await areServed;
    expect(known.ids).toEqual(agents.map(({ id }) => id).sort());
    expect(known.latest('treadmill')).toMatchObject({ announcedBy: workerId, inputSchema: { required: ['steps'] } });
    await announcer.beforeApplicationShutdown();
    expect(agents.some(({ id, version }) => known.isServed(id, version))).toBe(false);
    expect(announcer.isAnnounced).toBe(true);
  });

  it('names the version it starts new runs with', async () => {
    const catalogue = aCatalogue();
    const known = await catalogue.watch(never);
    const announcer = announcerOf(catalogue, new AgentRegistry([{ ...echo, version: '2' }, echo]));
    const isServed = new Promise<void>((resolve) => known.onChange(() => known.isServed('echo', '1') && resolve()));
    announcer.onApplicationBootstrap();
    await isServed;
    expect([known.startable('echo'), known.isServed('echo', '2')]).toEqual(['1', true]);
    await announcer.beforeApplicationShutdown();
  });

  it('tries again while the store is away, and is not ready before', async () => {
    const catalogue = aCatalogue();
    const known = await catalogue.watch(never);
    const announce = catalogue.announce.bind(catalogue);
    let refusals = 2;
    const seen: boolean[] = [];
    catalogue.announce = async (announcement) => {
      seen.push(announcer.isAnnounced);
      if ((refusals -= 1) >= 0) throw new StoreUnavailable('away');
      await announce(announcement);
    };
    const announcer = announcerOf(catalogue, new AgentRegistry([echo]));
    const isServed = new Promise<void>((resolve) => known.onChange(() => known.isServed('echo', '1') && resolve()));
    announcer.onApplicationBootstrap();
    await isServed;
    expect(seen).toEqual([false, false, false]);
    await announcer.beforeApplicationShutdown();
  });

  it('stops while the store is away', async () => {
    const catalogue = aCatalogue();
    catalogue.announce = async () => {
      throw new StoreUnavailable('away');
    };
    const announcer = announcerOf(catalogue);
    announcer.onApplicationBootstrap();
    await announcer.beforeApplicationShutdown();
    expect(announcer.isAnnounced).toBe(false);
  });
});

describe('The agents we ship', () => {
  it.each(agents.map((agent) => [agent.id, agent] as const))('%s can be chosen from the catalogue', async (id) => {
    const catalogue = aCatalogue();
    const announcer = announcerOf(catalogue);
    announcer.onApplicationBootstrap();
    const known = await catalogue.watch(never);
    await new Promise<void>((resolve) => {
      const look = () => known.startable(id) !== undefined && resolve();
      known.onChange(look);
      look();
    });
    const { description, inputSchema, graph, omitted } = known.latest(id)!;
    expect(description).toMatch(/\.$/);
    expect(graph.nodes.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['start', 'node', 'end']));
    expect(omitted).toBeUndefined();
    expect(inputChecker(inputSchema!)!(null)).toHaveLength(1);
    await announcer.beforeApplicationShutdown();
  });
});
