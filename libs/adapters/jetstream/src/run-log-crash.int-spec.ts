import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunEvent } from '@millrace/contracts';
import { EMPTY_TAIL, RunLogConflict, type Tail } from '@millrace/ports';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { aRun, SpecNats, token, until } from './spec-nats.for-spec.js';

let spec: SpecNats;
beforeAll(async () => {
  spec = await SpecNats.start({ syncAlways: true });
});
afterAll(() => spec.stop());

describe('A writer that slept', () => {
  it('is refused when another has gone on meanwhile', async () => {
    const run = aRun();
    const log = await spec.openLog();
    const { tail } = await log.append(run, token('first'), EMPTY_TAIL);
    const script = join(import.meta.dirname, '..', 'test-processes', 'writer.mjs');
    const child = spawn(process.execPath, [script, spec.server.url, JSON.stringify(run), JSON.stringify(tail)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const heard: string[] = [];
    const hear = async () => heard.push(((await lines.next()) as { value: string }).value);
    while (heard.length < 20) await hear();
    child.kill('SIGSTOP');

    // It may have one more append on its way to the server: go on from the tail until ours is behind it.
    let mine: RunEvent | undefined;
    while (!mine) {
      const now = await log.tail(run);
      mine = await log.append(run, token('meanwhile'), now).then(({ event }) => event, unlessConflict);
    }
    child.kill('SIGCONT');
    await once(child, 'exit');
    for (let line = await lines.next(); !line.done; line = await lines.next()) heard.push(line.value);

    expect(JSON.parse(heard.at(-1)!)).toEqual({ refused: 'RUN_LOG_CONFLICT' });
    const { events } = await log.read(run);
    expect(events.at(-1)).toEqual(mine);
    const acknowledged = heard.slice(0, -1).map((line) => (JSON.parse(line) as { stored: string }).stored);
    expect(events.slice(1, -1).map(({ eventId }) => eventId)).toEqual(acknowledged);
  });
});

describe('nats-server killed with -9 under load', () => {
  it('has every acknowledged event when it is back, once and in order, and writers and followers go on', async () => {
    const runs = Array.from({ length: 8 }, aRun);
    const acknowledged = new Map<string, string[]>(runs.map(({ runId }) => [runId, []]));
    const log = await spec.openLog({ appendTimeoutMs: 1_000, lookEveryMs: 200 });
    const total = () => [...acknowledged.values()].reduce((sum, ids) => sum + ids.length, 0);
    let isEnough = () => false;
    const writers = runs.map(async (run) => {
      let tail: Tail = EMPTY_TAIL;
      while (!isEnough()) {
        const draft = token('t');
        ({ tail } = await insist(() => log.append(run, draft, tail)));
        acknowledged.get(run.runId)!.push(draft.eventId);
      }
      return tail;
    });
    const follower = await spec.openLog({ lookEveryMs: 200 });
    const stop = new AbortController();
    const story: RunEvent[] = [];
    const following = (async () => {
      for await (const event of follower.follow(runs[0]!, EMPTY_TAIL, stop.signal)) story.push(event);
    })();

    for (const goal of [200, 400, 600]) {
      await until(() => total() >= goal);
      await spec.server.kill('SIGKILL');
      await spec.server.restart();
    }
    const reached = total();
    isEnough = () => total() >= reached + 200;
    const tails = await Promise.all(writers);

    for (const [index, run] of runs.entries()) {
      const { events, tail } = await log.read(run);
      expect(events.map(({ eventId }) => eventId)).toEqual(acknowledged.get(run.runId));
      expect(events.map(({ position }) => position)).toEqual(events.map((_, position) => position));
      expect(tail).toEqual(tails[index]);
    }
    await until(() => story.length >= acknowledged.get(runs[0]!.runId)!.length);
    stop.abort();
    await following;
    expect(story).toEqual((await log.read(runs[0]!)).events);
  });
});

const unlessConflict = (error: unknown): undefined => {
  if (!(error instanceof RunLogConflict)) throw error;
};

async function insist<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof RunLogConflict) throw error;
      await pause(20);
    }
  }
}
