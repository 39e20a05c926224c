import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentAnnouncement, WorkerId } from '@millrace/contracts';
import type { AgentCatalogue, KnownAgents } from '@millrace/ports';
import { ulid } from 'ulid';

export interface OpenedCatalogue {
  /** As another process has it, each time. */
  connect(): Promise<AgentCatalogue>;
  /** Silence of workers passes, for those who watch. */
  workersFallSilent(): Promise<void>;
  close(): Promise<void>;
}

const aWorker = (): WorkerId => WorkerId.parse(ulid());

const announcementOf = (id: string, version: string, more: object = {}): AgentAnnouncement =>
  AgentAnnouncement.parse({
    ...{ format: '1', id, version, policies: [], speakers: [id], conversational: false, tools: [] },
    ...{ graph: { nodes: [], edges: [] }, announcedBy: aWorker(), ...more },
  });

const serving = (workerId: WorkerId, agent: string, ...versions: string[]) => ({
  format: '1' as const,
  workerId,
  serves: versions.map((version, at) => ({ agent, version, isCurrent: at === versions.length - 1 })),
});

/** What every catalogue of agents promises. */
export const agentCatalogueContract = (name: string, open: () => Promise<OpenedCatalogue>): void => {
  describe(`The ${name} catalogue of agents`, () => {
    let opened: OpenedCatalogue;
    let worker: AgentCatalogue;
    let other: AgentCatalogue;
    let reader: AgentCatalogue;
    const over = new AbortController();
    let count = 0;
    const anAgent = (): string => `agent ${(count += 1)}: .*>`; // a name may be anything that can be read
    beforeAll(async () => {
      opened = await open();
      [worker, other, reader] = await Promise.all([opened.connect(), opened.connect(), opened.connect()]);
    });
    afterAll(async () => {
      over.abort();
      await opened.close();
    });

    const watch = () => reader.watch(over.signal);
    const until = (known: KnownAgents, isSo: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = () => {
          if (!isSo()) return;
          stop();
          resolve();
        };
        const stop = known.onChange(look);
        look();
      });

    it('knows what was announced before, word for word, and what is announced from then on', async () => {
      const agent = anAgent();
      const [before, after] = [announcementOf(agent, '1', { description: 'é\n' }), announcementOf(agent, '1.1')];
      await worker.announce(before);
      const known = await watch();
      expect(known.find(agent, '1')).toEqual(before);
      await other.announce(after);
      await until(known, () => known.versions(agent).length === 2);
      expect(known.versions(agent)).toEqual([after, before]);
      expect(known.ids).toContain(agent);
      expect([known.has(agent), known.has(`${agent}!`), known.find(agent, '2')]).toEqual([true, false, undefined]);
    });

    it('has all that was announced when it is asked to look', async () => {
      const known = await watch();
      const agents = [anAgent(), anAgent(), anAgent()];
      for (const agent of agents) await worker.announce(announcementOf(agent, '1'));
      await known.refresh();
      expect(agents.filter((agent) => known.has(agent))).toEqual(agents);
    });

    it('keeps the first of the same announcements, whoever makes them and however many at once', async () => {
      const agent = anAgent();
      const mine = announcementOf(agent, '1');
      await worker.announce(mine);
      await Promise.all(
        [worker, other, reader].map((catalogue) => catalogue.announce({ ...mine, announcedBy: aWorker() })),
      );
      expect((await watch()).versions(agent)).toEqual([mine]);
    });

    it('takes what is said anew of a version, and leaves the version in its place', async () => {
      const agent = anAgent();
      const [old, newer] = [announcementOf(agent, '1'), announcementOf(agent, '2')];
      for (const announcement of [old, newer]) await worker.announce(announcement);
      const known = await watch();
      for (const description of ['better', 'best']) await other.announce({ ...old, description });
      await known.refresh();
      expect(known.versions(agent)).toEqual([newer, { ...old, description: 'best' }]);
      expect((await watch()).versions(agent)).toEqual(known.versions(agent));
      expect(known.latest(agent)).toEqual(newer);
    });

    it('starts nothing while no worker is there, and the newest version that is served once one is', async () => {
      const agent = anAgent();
      for (const version of ['1', '2', '3']) await worker.announce(announcementOf(agent, version));
      const known = await watch();
      expect([known.startable(agent), known.latest(agent)?.version]).toEqual([undefined, '3']);
      await worker.present(serving(aWorker(), agent, '1'));
      await until(known, () => known.startable(agent) === '1');
      await other.present(serving(aWorker(), agent, '1', '2'));
      await until(known, () => known.startable(agent) === '2');
      expect(['1', '2', '3'].map((version) => known.isServed(agent, version))).toEqual([true, true, false]);
      expect([known.latest(agent)?.version, (await watch()).startable(agent)]).toEqual(['2', '2']);
    });

    it('goes back to a version its workers have made the current one again', async () => {
      const agent = anAgent();
      for (const version of ['1', '2']) await worker.announce(announcementOf(agent, version));
      const known = await watch();
      await worker.present(serving(aWorker(), agent, '2', '1'));
      await until(known, () => known.startable(agent) !== undefined);
      expect([known.startable(agent), known.isServed(agent, '2')]).toEqual(['1', true]);
    });

    it('no longer counts on a worker that has said good-bye', async () => {
      const agent = anAgent();
      const [one, two] = [aWorker(), aWorker()];
      await worker.announce(announcementOf(agent, '1'));
      await worker.present(serving(one, agent, '1'));
      await other.present(serving(two, agent, '1'));
      const known = await watch();
      await worker.withdraw(one);
      await known.refresh();
      expect(known.isServed(agent, '1')).toBe(true);
      await other.withdraw(two);
      await known.refresh();
      expect([known.isServed(agent, '1'), known.has(agent)]).toEqual([false, true]);
      expect((await watch()).isServed(agent, '1')).toBe(false);
      await worker.present(serving(one, agent, '1'));
      await until(known, () => known.isServed(agent, '1'));
    });

    it('no longer counts on a worker that has fallen silent', async () => {
      const agent = anAgent();
      await worker.announce(announcementOf(agent, '1'));
      await worker.present(serving(aWorker(), agent, '1'));
      const known = await watch();
      expect(known.isServed(agent, '1')).toBe(true);
      await opened.workersFallSilent();
      expect([known.isServed(agent, '1'), known.startable(agent)]).toEqual([false, undefined]);
    });
  });
};
