import { describe, expect, it } from '@jest/globals';
import { InMemoryRunLog } from '@millrace/adapter-memory';
import { aRunId, aTenantId, EventId, FACT_FIXTURES, type RunFact } from '@millrace/contracts';
import { EMPTY_TAIL, type Tail } from '@millrace/ports';
import { RunChannel } from './run-channel.js';

const run = { tenantId: aTenantId, runId: aRunId };
const { RunRequested, RunStarted, RunFinished, GoalAchieved, TokenDelta } = FACT_FIXTURES;

/** Answers so many reads like a replica that has nothing yet: those that do not say how far they must go. */
class LaggingLog extends InMemoryRunLog {
  lags = 0;
  looks = 0;
  #tail: Tail = EMPTY_TAIL;

  override async read(...asked: Parameters<InMemoryRunLog['read']>): ReturnType<InMemoryRunLog['read']> {
    this.looks += 1;
    if (this.lags === 0 || asked[2]?.atLeast !== undefined) return super.read(...asked);
    this.lags -= 1;
    return { events: [], tail: EMPTY_TAIL, hasMore: false };
  }

  override tail(...asked: Parameters<InMemoryRunLog['tail']>): ReturnType<InMemoryRunLog['tail']> {
    this.looks += 1;
    return super.tail(...asked);
  }

  async say(...facts: RunFact[]): Promise<void> {
    for (const fact of facts) {
      const eventId = EventId.parse(`01JD${String(this.#tail.position + 2).padStart(22, '0')}`);
      this.#tail = (await this.append(run, { ...fact, eventId, ts: '2026-01-12T10:00:00.000Z' }, this.#tail)).tail;
    }
  }
}

describe('The channel of a run', () => {
  it('is not there for a run nobody has requested', async () => {
    expect(await RunChannel.open(new LaggingLog(), run)).toBeUndefined();
  });

  it('knows that a run has ended, whatever was noted afterwards, and although a replica does not know yet', async () => {
    const log = new LaggingLog();
    await log.say(RunRequested, RunStarted, RunFinished, GoalAchieved);
    log.lags = 2;
    expect(await RunChannel.open(log, run)).toMatchObject({ isEnded: true, last: 1 });
  });

  it('tells once what arrives in one turn, and holds it for those who are a little behind', async () => {
    const log = new LaggingLog();
    await log.say(RunRequested, RunStarted, TokenDelta, TokenDelta);
    const channel = (await RunChannel.open(log, run, 2))!;
    const told: number[] = [];
    const ended = new Promise<void>((resolve) => {
      channel.join({
        pump: () => {
          told.push(channel.last);
          if (channel.isEnded) resolve();
        },
        fail: () => {},
      });
    });
    await log.say(TokenDelta, TokenDelta, TokenDelta, RunFinished);
    await ended;
    expect(told.length).toBeLessThan(4);
    expect(channel.recentFrom(2)?.map(({ sequence }) => sequence)).toEqual([2, 3, 4, 5, 6]);
    expect(channel.recentFrom(0)).toBeUndefined(); // that is for the pages
    expect(channel.recentFrom(7)).toBeUndefined();
    channel.close();
  });

  it.each([
    ['from the beginning', 0, [0, 1, 2]],
    ['behind what it has seen', 2, [1, 2]],
    ['with everything', 3, [2]],
  ])('opens with one look, and holds what its first reader, who comes %s, is missing', async (_, wanted, held) => {
    const log = new LaggingLog();
    await log.say(RunRequested, RunStarted, TokenDelta, RunFinished);
    log.looks = 0;
    const channel = (await RunChannel.open(log, run, wanted))!;
    expect(log.looks).toBe(1);
    expect(channel).toMatchObject({ isEnded: true, last: 2 });
    expect(channel.recentFrom(held[0]!)?.map(({ sequence }) => sequence)).toEqual(held);
  });

  it('begins at the end of a long history, and of one that does not go as far as its reader wants', async () => {
    const log = new LaggingLog();
    await log.say(RunRequested, RunStarted, ...Array.from({ length: 300 }, () => TokenDelta));
    let last = 300;
    for (const wanted of [0, 1_000]) {
      const channel = (await RunChannel.open(log, run, wanted))!;
      expect(channel).toMatchObject({ isEnded: false, last });
      expect(channel.recentFrom(last)).toBeUndefined();
      const heard = new Promise<void>((pump) => channel.join({ pump, fail: () => {} }));
      await log.say(TokenDelta);
      await heard;
      channel.close();
      last += 1;
      expect(channel.recentFrom(last)?.map(({ sequence }) => sequence)).toEqual([last]);
    }
  });
});
