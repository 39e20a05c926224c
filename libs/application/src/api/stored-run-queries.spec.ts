import { beforeEach, describe, expect, it } from '@jest/globals';
import { CountingEventIds, InMemoryRunLog, ManualClock } from '@millrace/adapter-memory';
import type { RunEvent } from '@millrace/contracts';
import { foldRunRows, type RunRows } from '@millrace/run-views';
import {
  aRunRef,
  finishNode,
  finishRun,
  logWritten,
  messageAdded,
  requestInput,
  requestRun,
  say,
  scheduleNodes,
  startNode,
  startRun,
  tokenDelta,
} from '@millrace/testing';
import { RunCommandHandler } from '../run-command-handler.js';
import { LogRunQueries } from './log-run-queries.js';
import { StoredRunQueries, type StoredRuns } from './stored-run-queries.js';

const CHANGED = 'told by the rows';

/** Rows as a projection that has come so far left them, with a mark by which they are known again. */
class Projection implements StoredRuns {
  isAway = false;
  asked = 0;
  #rows: RunRows = foldRunRows([]);

  project(events: Iterable<RunEvent>): void {
    this.#rows = foldRunRows(events);
  }
  async get() {
    return this.#read(({ run }) => run && { ...run, inputSummary: CHANGED });
  }
  async steps() {
    return this.#read(({ steps }) => [...steps]);
  }
  async messages() {
    return this.#read(({ messages }) => [...messages]);
  }
  async inputRequests() {
    return this.#read(({ inputRequests }) => [...inputRequests]);
  }
  async logs() {
    return this.#read(({ logs }) => [...logs]);
  }
  async trail() {
    return this.#read(({ trail }) => [...trail]);
  }
  #read<T>(what: (rows: RunRows) => T): T {
    this.asked += 1;
    if (this.isAway) throw new Error('away');
    return what(this.#rows);
  }
}

let log: InMemoryRunLog;
let handler: RunCommandHandler;
let projection: Projection;
let queries: StoredRunQueries;
let troubles: unknown[];
let isAvailable: boolean;
beforeEach(async () => {
  log = new InMemoryRunLog();
  handler = new RunCommandHandler({ log, ids: new CountingEventIds(), clock: new ManualClock() });
  projection = new Projection();
  troubles = [];
  isAvailable = true;
  const health = { isAvailable: () => isAvailable, failed: (error: unknown) => troubles.push(error) };
  queries = new StoredRunQueries(log, projection, { health, shortHistory: 2 });
  for (const command of [requestRun(), startRun(), scheduleNodes(), startNode(), requestInput()]) {
    await handler.handle(command);
  }
  for (const fact of [messageAdded(), logWritten()]) await handler.handle(say(fact));
});

const history = async (): Promise<RunEvent[]> => (await log.read(aRunRef)).events;
const isFromRows = async (): Promise<boolean> => (await queries.detail(aRunRef)).inputSummary === CHANGED;

describe('What stored rows tell of a run', () => {
  it('is asked for only when they are as far as the log', async () => {
    expect(await isFromRows()).toBe(false);
    projection.project((await history()).slice(0, -1));
    expect(await isFromRows()).toBe(false);
    projection.project(await history());
    expect(await isFromRows()).toBe(true);
    await handler.handle(finishNode());
    expect(await isFromRows()).toBe(false);
  });

  it('is as good while nothing but words was added', async () => {
    projection.project(await history());
    for (let count = 0; count < 3; count += 1) await handler.handle(say(tokenDelta()));
    expect(await isFromRows()).toBe(true);
  });

  it('is what the log tells', async () => {
    const fromLog = new LogRunQueries(log);
    const everything = async (from: LogRunQueries | StoredRunQueries) => ({
      detail: { ...(await from.detail(aRunRef)), inputSummary: '' },
      steps: await from.steps(aRunRef),
      messages: await from.messages(aRunRef),
      logs: await from.logs(aRunRef),
      trail: await from.trail(aRunRef),
      events: await from.events(aRunRef, 0, 10),
    });
    projection.project(await history());
    const told = await everything(queries);
    expect(told).toEqual(await everything(fromLog));
    expect(told).toMatchObject({
      detail: { openInputs: [{ type: 'waitForInput', request: { type: 'waitForInput' } }] },
      steps: [{ state: 'RUNNING' }],
      messages: [{ type: 'request', sequence: null }, { type: 'message' }],
      logs: [{ level: 'info' }],
      trail: [{ kind: 'RunStarted' }, { kind: 'InputRequested' }, { kind: 'MessageAdded' }],
    });
    for (const command of [finishNode(), finishRun()]) await handler.handle(command);
    projection.project(await history());
    expect(await everything(queries)).toEqual(await everything(fromLog));
    expect(await queries.detail(aRunRef)).toMatchObject({ status: 'SUCCEEDED', openInputs: [], inputSummary: CHANGED });
  });

  it('is not missed while they are away: the log answers, and somebody hears of it once asked', async () => {
    projection.project(await history());
    projection.isAway = true;
    expect(await isFromRows()).toBe(false);
    expect(troubles).toEqual([new Error('away')]);
    isAvailable = false;
    projection.asked = 0;
    expect(await isFromRows()).toBe(false);
    expect(projection.asked).toBe(0);
  });

  it('is not asked for when the history is short, or nobody has requested the run', async () => {
    projection.project(await history());
    const health = { isAvailable: () => true, failed: (error: unknown) => troubles.push(error) };
    const patient = new StoredRunQueries(log, projection, { health, shortHistory: 100 });
    expect(await patient.steps(aRunRef)).toHaveLength(1);
    const nobodys = new StoredRunQueries(new InMemoryRunLog(), projection, { health, shortHistory: 0 });
    await expect(nobodys.detail(aRunRef)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect([projection.asked, troubles]).toEqual([0, []]);
  });
});
