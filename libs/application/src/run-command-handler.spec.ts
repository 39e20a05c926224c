import { describe, expect, it } from '@jest/globals';
import { CountingEventIds, InMemoryRunLog, ManualClock } from '@millrace/adapter-memory';
import type { RunRef } from '@millrace/contracts';
import { type Appended, type EventDraft, StoreUnavailable, type Tail } from '@millrace/ports';
import { RunRefused } from '@millrace/run-domain';
import {
  aRunRef,
  cancelRun,
  finishRun,
  requestRun,
  requestTool,
  scheduleNodes,
  startNode,
  startRun,
} from '@millrace/testing';
import { RunCommandHandler } from './run-command-handler.js';

const world = (log = new InMemoryRunLog()) => {
  const handler = new RunCommandHandler({ log, ids: new CountingEventIds(), clock: new ManualClock() });
  const kinds = async () => (await log.read(aRunRef)).events.map(({ kind }) => kind);
  return { log, handler, kinds };
};

describe('RunCommandHandler', () => {
  it('appends what the command decides and answers with the run as it is then', async () => {
    const { handler, kinds } = world();
    await handler.handle(requestRun());
    const { run, appended } = await handler.handle(startRun());
    expect(run.status).toBe('DISPATCHED');
    expect(appended.map(({ kind }) => kind)).toEqual(['RunStarted']);
    expect(await kinds()).toEqual(['RunRequested', 'RunStarted']);
  });

  it('appends nothing for a repeated command', async () => {
    const { handler, kinds } = world();
    await handler.handle(requestRun());
    expect((await handler.handle(requestRun())).appended).toEqual([]);
    expect(await kinds()).toEqual(['RunRequested']);
  });

  it('asks for a run without reading first, and reads when it is there already', async () => {
    let reads = 0;
    class CountedLog extends InMemoryRunLog {
      override read(...from: Parameters<InMemoryRunLog['read']>): ReturnType<InMemoryRunLog['read']> {
        reads += 1;
        return super.read(...from);
      }
    }
    const { handler } = world(new CountedLog());
    expect((await handler.handle(requestRun())).run.status).toBe('PENDING');
    expect(reads).toBe(0);
    await expect(handler.handle(requestRun({ input: 'another' }))).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    expect(reads).toBe(1);
  });

  it('appends nothing for a command that makes no sense', async () => {
    const { handler, kinds } = world();
    await handler.handle(requestRun());
    await expect(handler.handle(finishRun())).rejects.toBeInstanceOf(RunRefused);
    expect(await kinds()).toEqual(['RunRequested']);
  });

  it('answers open tool calls before it ends the run', async () => {
    const { handler, kinds } = world();
    for (const command of [requestRun(), startRun(), scheduleNodes(), startNode(), requestTool(), cancelRun()]) {
      await handler.handle(command);
    }
    await handler.handle({ kind: 'ConfirmCancel', ...aRunRef });
    expect((await kinds()).slice(-3)).toEqual(['RunCancelRequested', 'ToolFinished', 'RunCanceled']);
  });

  it('decides again when somebody else was faster', async () => {
    const log = new InMemoryRunLog();
    const { handler, kinds } = world(log);
    await handler.handle(requestRun());
    const rival = world(log).handler;
    const racing = new RacedLog(log, async () => void (await rival.handle(cancelRun())));
    const late = new RunCommandHandler({ log: racing, ids: new CountingEventIds('01JE'), clock: new ManualClock() });
    await expect(late.handle(startRun())).rejects.toMatchObject({ code: 'RUN_CANCEL_REQUESTED' });
    expect(await kinds()).toEqual(['RunRequested', 'RunCancelRequested']);
  });

  it('passes on that the store is away, and leaves it to the caller to try again', async () => {
    const log = new InMemoryRunLog();
    const away = new RacedLog(log, async () => {
      throw new StoreUnavailable('gone');
    });
    const handler = new RunCommandHandler({ log: away, ids: new CountingEventIds(), clock: new ManualClock() });
    await expect(handler.handle(requestRun())).rejects.toBeInstanceOf(StoreUnavailable);
    await handler.handle(requestRun());
    expect((await log.read(aRunRef)).events).toHaveLength(1);
  });
});

/** Lets something happen just before its first append. */
class RacedLog extends InMemoryRunLog {
  #happened = false;

  constructor(
    private readonly log: InMemoryRunLog,
    private readonly happen: () => Promise<void>,
  ) {
    super();
  }

  override async append(run: RunRef, draft: EventDraft, tail: Tail): Promise<Appended> {
    if (!this.#happened) {
      this.#happened = true;
      await this.happen();
    }
    return this.log.append(run, draft, tail);
  }

  override read(...args: Parameters<InMemoryRunLog['read']>) {
    return this.log.read(...args);
  }
}
