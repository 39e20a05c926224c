import { SseParser } from '@millrace/client';
import { type PublicEvent, type RunRef, StreamClosing } from '@millrace/contracts';
import { type DialectName, DIALECTS } from '@millrace/dialects';
import { setTimeout as pause } from 'node:timers/promises';

export const STREAM_PATHS: Record<DialectName, (run: RunRef) => string> = {
  native: ({ runId }) => `/agents/runs/${runId}/stream`,
  agent: ({ runId }) => `/api/agent/${runId}/events`,
  thread: ({ runId }) => `/api/runs/${runId}/events`,
};

/** What was told of one event, and in which dialect. */
interface Told {
  readonly dialect: DialectName;
  readonly sequence: number;
  readonly frames: readonly unknown[];
}

export interface Journey {
  readonly run: RunRef;
  readonly token: string;
  /** The processes that are there now: those that were killed meanwhile answer nothing. */
  readonly gateways: () => readonly string[];
  /** A number from 0 up to 1, another one each time. */
  readonly roll: () => number;
}

/** Follows a run to its end over many connections, each to any process, in any dialect, and for as long as it likes. */
export class WanderingClient {
  readonly told: Told[] = [];
  connections = 0;
  broken = 0;

  constructor(private readonly journey: Journey) {}

  async follow(): Promise<this> {
    for (;;) {
      const isOver = await this.once().catch(() => this.lost());
      if (isOver) return this;
    }
  }

  /**
   * Whether it is the log's story: each event is told as its dialect tells it, in order and once, and left out only
   * where that dialect has no word for it.
   */
  differenceFrom(events: readonly PublicEvent[]): string | undefined {
    let next = 0;
    for (const { dialect, sequence, frames } of this.told) {
      const wordless = events.slice(next, sequence).find((event) => DIALECTS[dialect](event).length > 0);
      if (wordless) return `${wordless.kind} ${wordless.sequence} was not told in the ${dialect} dialect`;
      if (sequence < next) return `${sequence} was told again`;
      const expected = DIALECTS[dialect](events[sequence]!).map(({ data }) => data);
      if (JSON.stringify(frames) !== JSON.stringify(expected)) return `${sequence} was told in other words`;
      next = sequence + 1;
    }
    return next === events.length ? undefined : `the story ends before ${next} of ${events.length}`;
  }

  /** One connection; true when there is no more to hear. */
  private async once(): Promise<boolean> {
    const { gateways, roll, run, token } = this.journey;
    const dialect = pick(['native', 'agent', 'thread'] as const, roll());
    const wanted = 1 + Math.floor(roll() * 40);
    const leave = new AbortController();
    const cursor = this.told.at(-1)?.sequence;
    const response = await fetch(`${pick(gateways(), roll())}${STREAM_PATHS[dialect](run)}`, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(cursor === undefined ? {} : { 'last-event-id': String(cursor) }),
      },
      signal: leave.signal,
    });
    if (response.status === 204) return true;
    if (response.status !== 200 || !response.body) throw new Error(`answered ${response.status}`);
    this.connections += 1;
    try {
      return await this.listen(response.body, dialect, wanted);
    } finally {
      leave.abort();
    }
  }

  private async listen(body: ReadableStream<Uint8Array>, dialect: DialectName, wanted: number): Promise<boolean> {
    const parser = new SseParser();
    let frames: unknown[] = [];
    let heard = 0;
    for await (const chunk of body) {
      for (const { event, data, id } of parser.push(chunk)) {
        if (event === 'closing') {
          StreamClosing.parse(JSON.parse(data));
          return false;
        }
        frames.push(JSON.parse(data));
        if (id === undefined) continue; // more of the same event follows
        this.told.push({ dialect, sequence: Number(id), frames });
        frames = [];
        heard += 1;
        if (heard === wanted) return false;
      }
    }
    return false; // whether the run has ended is asked for once more: 204
  }

  private async lost(): Promise<false> {
    this.broken += 1;
    await pause(20 + this.journey.roll() * 80);
    return false;
  }
}

const pick = <T>(from: readonly T[], roll: number): T => {
  const picked = from[Math.floor(roll * from.length)];
  if (picked === undefined) throw new Error('There is nothing to pick from');
  return picked;
};
