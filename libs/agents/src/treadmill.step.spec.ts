import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runWithContext } from '@millrace/agent-sdk';
import { aRunId, aTaskKey } from '@millrace/contracts';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeContext, type Given } from './fake-context.for-spec.js';
import type { z } from 'zod';
import { TreadmillInput } from './treadmill.input.js';
import { runStep } from './treadmill.step.js';

type Plan = Partial<z.input<typeof TreadmillInput>>;

const attempting = (plan: Plan, given: Given = {}, ledgerFolder?: string) => {
  const context = fakeContext(given);
  const input = { plan: TreadmillInput.parse({ steps: 3, ...plan }), done: 1 };
  return { context, ran: runWithContext(context, () => runStep(input, ledgerFolder)) };
};

describe('A step of the treadmill', () => {
  it.each([
    [1, 'fails'],
    [2, 'fails'],
    [3, 'works'],
  ])('with failTimes 2, on attempt %i, whoever makes it, %s', async (attempt, outcome) => {
    const { ran } = attempting({ failAtStep: 2, failTimes: 2 }, { attempt });
    if (outcome === 'works') expect(await ran).toEqual({ done: 2 });
    else await expect(ran).rejects.toMatchObject({ code: 'STEP_FAILED', redelivery: 'retry' });
  });

  it('fails once without failTimes, and only where it is told to', async () => {
    await expect(attempting({ failAtStep: 2 }).ran).rejects.toThrow('Step 2 fails on attempt 1');
    expect(await attempting({ failAtStep: 2 }, { attempt: 2 }).ran).toEqual({ done: 2 });
    expect(await attempting({ failAtStep: 3 }).ran).toEqual({ done: 2 });
  });

  it('has done its effect and spoken before it fails, so that both are seen to be handled', async () => {
    const { context, ran } = attempting({ failAtStep: 2, tokensPerStep: 2 });
    await expect(ran).rejects.toThrow('Step 2 fails');
    expect(context.effects).toEqual(['ledger']);
    expect(context.tokens).toEqual(['2.0.1 ', '2.0.2 ']);
  });

  it('does not do its effect again on a later attempt', async () => {
    const { context, ran } = attempting({ askAtStep: 2 }, { attempt: 2, recorded: { ledger: 1 }, answers: ['go on'] });
    expect(await ran).toEqual({ done: 2, answers: ['go on'] });
    expect(context.effects).toEqual([]);
  });

  it('leaves as many bytes as it is told to, the same each time', async () => {
    const { payload } = await attempting({ bytesPerStep: 100_001 }).ran;
    expect(Buffer.byteLength(payload ?? '')).toBe(100_001);
    expect((await attempting({ bytesPerStep: 100_001 }, { attempt: 2 }).ran).payload).toBe(payload);
  });

  it('stops while it waits for its next token when it is stopped', async () => {
    const stopped = new AbortController();
    const slowly = { tokensPerStep: 10, tokensPerSecond: 0.001 };
    const { context, ran } = attempting(slowly, { signal: stopped.signal, onToken: () => stopped.abort() });
    await expect(ran).rejects.toMatchObject({ name: 'AbortError' });
    expect(context.tokens).toHaveLength(1);
  });

  it('lets others run while it speaks as fast as it can', async () => {
    const stopped = new AbortController();
    setImmediate(() => stopped.abort());
    const { ran } = attempting({ tokensPerStep: 1_000_000 }, { signal: stopped.signal });
    await expect(ran).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('The ledger', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-ledger-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('has a line for each effect that was done: run, task and attempt', async () => {
    await attempting({ ledgerFile: 'one' }, {}, folder).ran;
    await attempting({ ledgerFile: join(folder, 'one') }, { attempt: 2 }, folder).ran;
    await attempting({ ledgerFile: 'one' }, { attempt: 3, recorded: { ledger: 2 } }, folder).ran;
    const lines = `${aRunId} ${aTaskKey} 1\n${aRunId} ${aTaskKey} 2\n`;
    expect(await readFile(join(folder, 'one'), 'utf8')).toBe(lines);
  });

  it.each(['../outside', join(tmpdir(), 'millrace-outside'), '.', 'a/../../outside'])(
    'is not written to %s, outside of its folder',
    async (ledgerFile) => {
      const before = await readdir(folder);
      await expect(attempting({ ledgerFile }, {}, folder).ran).rejects.toMatchObject({
        code: 'LEDGER_REFUSED',
        redelivery: 'park',
        message: "ledgerFile: must lie in the worker's MILLRACE_LEDGER_DIR",
      });
      expect(await readdir(folder)).toEqual(before);
    },
  );

  it('is not written by a worker that was given no folder', async () => {
    await expect(attempting({ ledgerFile: join(folder, 'two') }).ran).rejects.toThrow(
      'ledgerFile: this worker has no MILLRACE_LEDGER_DIR and writes no ledger',
    );
  });
});
