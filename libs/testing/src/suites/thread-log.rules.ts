import { describe, expect, it } from '@jest/globals';
import { TenantId, THREAD_CREATED_FIXTURE, type ThreadEvent, ThreadId } from '@millrace/contracts';
import { ulid } from 'ulid';
import { anEventId, type Opened } from './platform-fixtures.js';

export const aThread = (): ThreadEvent => ({
  ...THREAD_CREATED_FIXTURE,
  tenantId: TenantId.parse(ulid()),
  threadId: ThreadId.parse(ulid()),
  eventId: anEventId(),
});

export const threadLogRules = (opened: Opened): void => {
  describe('threads', () => {
    it('are found once they are created, for their tenant alone', async () => {
      const { threads } = opened().platform;
      const thread = aThread();
      expect(await threads.create(thread)).toEqual(thread);
      expect(await threads.find(thread)).toEqual(thread);
      expect(await (await opened().another()).platform.threads.find(thread)).toEqual(thread);
      expect(await threads.find({ ...thread, tenantId: TenantId.parse(ulid()) })).toBeUndefined();
      expect(await threads.find(aThread())).toBeUndefined();
    });

    it('are created once, whoever is first', async () => {
      const logs = [opened().platform.threads, (await opened().another()).platform.threads];
      const thread = aThread();
      const twins = Array.from({ length: 10 }, (_, at) => ({ ...thread, eventId: anEventId(), title: `${at}` }));
      const stored = await Promise.all(twins.map((twin, at) => logs[at % 2]!.create(twin)));
      expect(new Set(stored.map(({ eventId }) => eventId)).size).toBe(1);
      expect(await logs[0]!.find(thread)).toEqual(stored[0]);
    });

    it('are not created of what is no thread', async () => {
      const bad = { ...aThread(), title: 'x'.repeat(501) };
      await expect(opened().platform.threads.create(bad)).rejects.toMatchObject({ code: 'EVENT_INVALID' });
      expect(await opened().platform.threads.find(bad)).toBeUndefined();
    });
  });
};
