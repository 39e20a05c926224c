import { describe, expect, it } from '@jest/globals';
import { CountingEventIds, InMemoryRunLog, ManualClock } from '@millrace/adapter-memory';
import type { RunEvent, RunRef } from '@millrace/contracts';
import { type Appended, type EventDraft, StoreUnavailable, type Tail } from '@millrace/ports';
import {
  aRunRef,
  finishNode,
  requestRun,
  requestTool,
  say,
  scheduleNodes,
  speakerOf,
  startNode,
  startRun,
  thoughtDelta,
  tokenDelta,
} from '@millrace/testing';
import { RunCommandHandler } from './run-command-handler.js';
import { RunSession } from './run-session.js';
import { RunWriter } from './run-writer.js';

/** A log that answers only when it is let, so that what is said meanwhile piles up. */
class GatedLog extends InMemoryRunLog {
  held: (() => void)[] = [];
  isHolding = false;
  failures: Error[] = [];
  drafts: EventDraft[] = [];

  override async append(run: RunRef, draft: EventDraft, tail: Tail): Promise<Appended> {
    this.drafts.push(draft);
    if (this.isHolding) await new Promise<void>((resolve) => this.held.push(resolve));
    const failure = this.failures.shift();
    if (failure) throw failure;
    return super.append(run, draft, tail);
  }

  release(): void {
    this.isHolding = false;
    for (const let_ of this.held.splice(0)) let_();
  }
}

const refused = (error: unknown): never => {
  throw error;
};

const aRunningNode = async () => {
  const log = new GatedLog();
  const ports = { log, ids: new CountingEventIds(), clock: new ManualClock() };
  const handler = new RunCommandHandler(ports);
  for (const command of [requestRun(), startRun(), scheduleNodes(), startNode()]) await handler.handle(command);
  const pauses: number[] = [];
  const pause = async (ms: number) => void pauses.push(ms);
  const writer = new RunWriter(await RunSession.open(ports, aRunRef), log, { pause });
  const said = async () => (await log.read(aRunRef, { position: 4 })).events.map(brief);
  return { log, handler, writer, pauses, said };
};

const brief = (event: RunEvent): string => ('text' in event ? `${event.kind}:${event.text}` : event.kind);

describe('RunWriter', () => {
  it('stores a token that nothing waits behind as it is', async () => {
    const { writer, said } = await aRunningNode();
    await writer.write(say(tokenDelta({ text: 'a' })));
    await writer.write(say(tokenDelta({ text: 'b' })));
    expect(await said()).toEqual(['TokenDelta:a', 'TokenDelta:b']);
  });

  it('makes one event of the tokens that pile up behind the one in flight', async () => {
    const { log, writer, said } = await aRunningNode();
    log.isHolding = true;
    const first = writer.write(say(tokenDelta({ text: 'a' })));
    await Promise.resolve();
    await Promise.resolve();
    for (const text of ['b', 'c', 'd']) writer.say(tokenDelta({ text }), refused);
    log.release();
    await first;
    await writer.flush();
    expect(await said()).toEqual(['TokenDelta:a', 'TokenDelta:bcd']);
  });

  it('never lets a token pass another event, nor mixes thoughts, nodes or attempts with it', async () => {
    const { log, writer, said } = await aRunningNode();
    log.isHolding = true;
    writer.say(tokenDelta({ text: 'a' }), refused);
    await Promise.resolve();
    await Promise.resolve();
    writer.say(tokenDelta({ text: 'b' }), refused);
    writer.say(thoughtDelta({ text: 'hm' }), refused);
    writer.say(tokenDelta({ text: 'c' }), refused);
    const tool = writer.write(requestTool());
    writer.say(tokenDelta({ text: 'd' }), refused);
    writer.say(tokenDelta({ text: 'e' }), refused);
    log.release();
    await tool;
    await writer.flush();
    expect(await said()).toEqual([
      'TokenDelta:a',
      'TokenDelta:b',
      'ThoughtDelta:hm',
      'TokenDelta:c',
      'ToolRequested',
      'TokenDelta:de',
    ]);
  });

  it('begins another event when a delta has grown long enough', async () => {
    const { log, writer, said } = await aRunningNode();
    log.isHolding = true;
    writer.say(tokenDelta({ text: 'a' }), refused);
    await Promise.resolve();
    await Promise.resolve();
    for (let at = 0; at < 3; at += 1) writer.say(tokenDelta({ text: 'x'.repeat(9_000) }), refused);
    log.release();
    await writer.flush();
    expect((await said()).map((text) => text.length)).toEqual([12, 9_011, 9_011, 9_011]);
  });

  it('asks a store that is away again with the same event', async () => {
    const { log, writer, said, pauses } = await aRunningNode();
    log.failures = [new StoreUnavailable('gone'), new StoreUnavailable('gone')];
    await writer.write(say(tokenDelta({ text: 'a' })));
    expect(await said()).toEqual(['TokenDelta:a']);
    expect(new Set(log.drafts.slice(-3).map(({ eventId }) => eventId)).size).toBe(1);
    expect(pauses).toEqual([50, 100]);
  });

  it('tells who said it when another attempt has taken the node over', async () => {
    const { handler, writer, said } = await aRunningNode();
    await handler.handle(startNode({ ...speakerOf('1/plan', 2) }));
    const refusals: unknown[] = [];
    writer.say(tokenDelta({ text: 'late' }), (error) => refusals.push(error));
    await writer.flush();
    expect(refusals).toMatchObject([{ code: 'ATTEMPT_SUPERSEDED' }]);
    await expect(writer.write(finishNode())).rejects.toMatchObject({ code: 'ATTEMPT_SUPERSEDED' });
    expect(await said()).toEqual(['NodeStarted']);
  });

  it('gives the session to other work in its turn', async () => {
    const { writer, said } = await aRunningNode();
    const seen: string[][] = [];
    writer.say(tokenDelta({ text: 'a' }), refused);
    const alone = writer.alone(async () => void seen.push(await said()));
    writer.say(tokenDelta({ text: 'b' }), refused);
    await alone;
    await writer.flush();
    expect(seen).toEqual([['TokenDelta:a']]);
    expect(await said()).toEqual(['TokenDelta:a', 'TokenDelta:b']);
  });

  it('goes on after a refusal somebody was told of', async () => {
    const { writer, said } = await aRunningNode();
    await expect(writer.write({ kind: 'FinishTool', ...aRunRef, ...aStranger })).rejects.toMatchObject({
      code: 'TOOL_NOT_REQUESTED',
    });
    await writer.write(say(tokenDelta({ text: 'a' })));
    expect(await said()).toEqual(['TokenDelta:a']);
  });
});

const aStranger = { ...speakerOf(), toolUseId: 'nobody-asked', tool: 'search', ok: true };
