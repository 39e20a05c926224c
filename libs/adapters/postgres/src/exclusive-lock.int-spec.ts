import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestPostgres, type TestPostgres } from '@millrace/testing/servers';
import { once } from 'node:events';
import { ExclusiveLock } from './exclusive-lock.js';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

const tryAcquire = (name: string) => ExclusiveLock.tryAcquire({ url: postgres.url, applicationName: 'spec' }, name);

describe('ExclusiveLock', () => {
  it('is held by one at a time, and free again once it is released', async () => {
    const first = await tryAcquire('one');
    expect(first).toBeDefined();
    expect(await tryAcquire('one')).toBeUndefined();
    await first?.release();

    const second = await tryAcquire('one');
    expect(second).toBeDefined();
    await second?.release();
  });

  it('of one name does not hinder another name', async () => {
    const locks = await Promise.all([tryAcquire('left'), tryAcquire('right')]);
    expect(locks).not.toContain(undefined);
    for (const lock of locks) await lock?.release();
  });

  it('tells its holder when it is lost, and can be taken by somebody else', async () => {
    const lock = await tryAcquire('lost');
    if (lock === undefined) throw new Error('nobody else holds it');
    const lost = once(lock.lost, 'abort');
    await postgres.kill('SIGKILL');
    await postgres.restart();
    const next = await tryAcquire('lost');
    expect(next).toBeDefined();
    await lost;
    await Promise.all([lock.release(), next?.release()]);
  });

  it('cannot be had while PostgreSQL is down', async () => {
    await postgres.kill('SIGKILL');
    await expect(tryAcquire('down')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    await postgres.restart();
  });
});
