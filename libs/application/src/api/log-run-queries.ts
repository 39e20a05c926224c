import { isPublic, type RunDetail, type RunEvent, type RunLogLine, type RunRef } from '@millrace/contracts';
import type { RunSaidMessage, RunStep, TrailLine } from '@millrace/contracts';
import type { ReadFrom, RunLog, Tail } from '@millrace/ports';
import { RunRefused } from '@millrace/run-domain';
import { foldRunRows, type RunRow, type RunRows } from '@millrace/run-views';
import { detailOf, logLinesOf, messagesOf, stepOf, trailOf } from './run-answers.js';
import { type PublicPage, RunQueries } from './run-queries.js';

/** Answers from the log itself: never behind, at the price of reading the run's whole history for each answer. */
export class LogRunQueries extends RunQueries {
  constructor(private readonly log: RunLog) {
    super();
  }

  async requireRun(ref: RunRef): Promise<Tail> {
    const tail = await this.log.tail(ref, { atLeast: 'now' });
    if (tail.position < 0) throw new RunRefused('RUN_NOT_FOUND', ref);
    return tail;
  }

  async events(ref: RunRef, fromSequence: number, limit: number): Promise<PublicPage> {
    const tail = await this.requireRun(ref);
    if (fromSequence > tail.sequence) return { events: [], hasMore: false };
    const events: RunEvent[] = [];
    const atLeast = tail.streamSequence;
    let from: ReadFrom = { sequence: fromSequence };
    for (let isMore = true; isMore && events.length < limit;) {
      const page = await this.log.read(ref, from, { limit: limit - events.length, atLeast }); // internal ones lie between
      events.push(...page.events.filter(isPublic));
      from = page.tail;
      isMore = page.hasMore;
    }
    return { events, hasMore: fromSequence + events.length <= tail.sequence };
  }

  async detail(ref: RunRef): Promise<RunDetail> {
    const { run, inputRequests } = await this.rows(ref);
    return detailOf(run, inputRequests);
  }

  async steps(ref: RunRef): Promise<RunStep[]> {
    return (await this.rows(ref)).steps.map(stepOf);
  }

  async messages(ref: RunRef): Promise<RunSaidMessage[]> {
    return messagesOf((await this.rows(ref)).messages);
  }

  async logs(ref: RunRef): Promise<RunLogLine[]> {
    return logLinesOf((await this.rows(ref)).logs);
  }

  async trail(ref: RunRef): Promise<TrailLine[]> {
    return trailOf((await this.rows(ref)).trail);
  }

  private async rows(ref: RunRef): Promise<RunRows & { readonly run: RunRow }> {
    const { run, ...rows } = foldRunRows((await this.log.read(ref, undefined, { atLeast: 'now' })).events);
    if (run === undefined) throw new RunRefused('RUN_NOT_FOUND', ref);
    return { run, ...rows };
  }
}
