import { RawLog } from './raw-log.js';
import { type Measure, oursAtLeast, print } from './report.js';
import type { StackWorld } from './stack-world.js';
import { median, now, percentile, timed } from './stopwatch.js';

const ROUNDS = 5;
/** So that the client is there when the first token is said. */
const PAUSE_MS = 200;
const ONE = { tokens: 2_000, everyMs: 0, pauseMs: PAUSE_MS };
const MANY = { runs: 100, tokens: 200 };
const PACED = { tokens: 300, everyMs: 10, pauseMs: PAUSE_MS };

/** W2 and W4: tokens flat out, from the first to the last that a client hears; and paced, each on its own. */
export async function benchTokens(stack: StackWorld): Promise<void> {
  const append = await appendMs(stack);
  const rate = (name: string, ours: number, least: number): Measure => ({
    ...{ name, unit: '/s', ours, raw: 1_000 / append, goal: oursAtLeast(least) },
  });
  const paced = await pacedLatencies(stack);
  const delay = (share: number): Measure => ({
    ...{ name: `token said to client p${share * 100}, 100/s`, unit: 'ms', ours: percentile(paced, share), raw: append },
  });
  print('Tokens from the node to an SSE client; raw: one append after another by the raw client', [
    rate(`W2: tokens of one run, ${ONE.tokens} flat out`, await medianOf(() => ofOneRun(stack)), 70_000),
    rate(`W4: tokens of ${MANY.runs} runs, ${MANY.tokens} each`, await medianOf(() => ofManyRuns(stack)), 19_000),
    delay(0.5),
    delay(0.99),
  ]);
}

async function medianOf(rate: () => Promise<number>): Promise<number> {
  await rate(); // warm
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rates.push(await rate());
  return median(rates);
}

async function ofOneRun({ client }: StackWorld): Promise<number> {
  const heard = new HeardTokens();
  await client.play('talk', ONE, heard.take);
  return heard.perSecond(ONE.tokens);
}

/** All are posted at once: their starts are in it, since later runs begin while earlier ones speak. */
async function ofManyRuns({ client }: StackWorld): Promise<number> {
  const heard = new HeardTokens();
  const input = { tokens: MANY.tokens, everyMs: 0 };
  await Promise.all(Array.from({ length: MANY.runs }, () => client.play('talk', input, heard.take)));
  return heard.perSecond(MANY.runs * MANY.tokens);
}

/** Each token's text is when it was said. */
async function pacedLatencies({ client }: StackWorld): Promise<number[]> {
  const times: number[] = [];
  await client.play('talk', PACED, (block) => {
    const heardAt = performance.timeOrigin + performance.now();
    for (const said of tokensIn(block)) times.push(heardAt - Number(said));
  });
  return times;
}

async function appendMs({ bench }: StackWorld): Promise<number> {
  const raw = new RawLog(bench.nats);
  const run = bench.newRun();
  const body = raw.bodyOf(run, bench.token());
  const times: number[] = [];
  let last = 0;
  for (let at = 0; at < 200; at += 1) {
    times.push(await timed(async () => (last = await raw.append(run, bench.ids.next(), body, last))));
  }
  return median(times);
}

class HeardTokens {
  #count = 0;
  #first = 0;
  #last = 0;

  readonly take = (block: string): void => {
    const { length } = tokensIn(block);
    if (length === 0) return;
    this.#last = now();
    if (this.#count === 0) this.#first = this.#last;
    this.#count += length;
  };

  perSecond(expected: number): number {
    if (this.#count !== expected) throw new Error(`Clients heard ${this.#count} of ${expected} tokens`);
    return (expected * 1_000) / (this.#last - this.#first);
  }
}

/** One event may hold several: what is said while another is stored is merged. */
const tokensIn = (block: string): string[] => {
  const [, text = ''] = /"kind":"TokenDelta".*"text":"([^"]*)"/.exec(block) ?? [];
  return text.split(' ').filter(Boolean);
};
