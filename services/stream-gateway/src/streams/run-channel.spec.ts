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
  #tail: Tail = EMPTY_TAIL;

  override async read(...asked: Parameters<InMemoryRunLog['read']>): ReturnType<InMemoryRunLog['read']> {
    if (this.lags === 0 || asked[2]?.atLeast !== undefined) return super.read(...asked);
    this.lags -= 1;
    return { events: [], tail: EMPTY_TAIL, hasMore: false };
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
    await log.say(RunRequested, RunStarted);
    const channel = (await RunChannel.open(log, run))!;
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
    expect(channel.recentFrom(2)?.map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
    expect(channel.recentFrom(0)).toBeUndefined(); // that is for the pages
    expect(channel.recentFrom(5)).toBeUndefined();
    channel.close();
  });
});
