import { isPublic, type RunDetail, type RunEvent, type RunLogLine, type RunRef } from '@millrace/contracts';
import type { RunSaidMessage, RunStep } from '@millrace/contracts';
import type { ReadFrom, RunLog, Tail } from '@millrace/ports';
import { RunRefused } from '@millrace/run-domain';
import { detailOf } from './run-detail.js';
import { type PublicPage, RunQueries } from './run-queries.js';
import { stepsOf } from './run-steps.js';

/** Answers from the log itself: never behind, at the price of reading the run's whole history for each answer. */
export class LogRunQueries extends RunQueries {
  constructor(private readonly log: RunLog) {
    super();
  }

  async requireRun(ref: RunRef): Promise<void> {
    await this.tailOf(ref);
  }

  async detail(ref: RunRef): Promise<RunDetail> {
    return detailOf(ref, await this.history(ref));
  }

  async events(ref: RunRef, fromSequence: number, limit: number): Promise<PublicPage> {
    const tail = await this.tailOf(ref);
    if (fromSequence > tail.sequence) return { events: [], hasMore: false };
    const events: RunEvent[] = [];
    let from: ReadFrom = { sequence: fromSequence };
    for (let isMore = true; isMore && events.length < limit;) {
      const page = await this.log.read(ref, from, limit - events.length); // internal ones lie between
      events.push(...page.events.filter(isPublic));
      from = page.tail;
      isMore = page.hasMore;
    }
    return { events, hasMore: fromSequence + events.length <= tail.sequence };
  }

  async steps(ref: RunRef): Promise<RunStep[]> {
    return stepsOf(await this.history(ref));
  }

  async messages(ref: RunRef): Promise<RunSaidMessage[]> {
    return (await this.history(ref)).flatMap((event): RunSaidMessage[] => {
      if (event.kind !== 'MessageAdded') return [];
      const { sequence, ts, from, role, content, round, node, attempt } = event;
      return [{ sequence, ts, from, role, content, round, node, attempt }];
    });
  }

  async logs(ref: RunRef): Promise<RunLogLine[]> {
    return (await this.history(ref)).flatMap((event): RunLogLine[] => {
      if (event.kind !== 'LogWritten') return [];
      const { sequence, ts, level, message, source, node, payload } = event;
      return [{ sequence, ts, level, message, source, node, ...(payload === undefined ? {} : { payload }) }];
    });
  }

  private async tailOf(ref: RunRef): Promise<Tail> {
    const tail = await this.log.tail(ref);
    if (tail.position < 0) throw new RunRefused('RUN_NOT_FOUND', ref);
    return tail;
  }

  private async history(ref: RunRef): Promise<RunEvent[]> {
    const { events } = await this.log.read(ref);
    if (events.length === 0) throw new RunRefused('RUN_NOT_FOUND', ref);
    return events;
  }
}
