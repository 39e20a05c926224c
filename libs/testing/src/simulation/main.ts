import { parseArgs } from 'node:util';
import { simulate } from './simulate.js';

/** `npm run simulate -- --seeds 10000 [--from 1]`: every seed that finds something, and how to see it again. */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    story: { type: 'boolean', default: false },
  },
});
const [seeds, from] = [Number(values.seeds), Number(values.from)];
if (!Number.isInteger(seeds) || !Number.isInteger(from)) throw new TypeError('--seeds and --from are whole numbers');

const beganAt = performance.now();
const perSecond = (count: number): number => Math.round((count * 1_000) / (performance.now() - beganAt));
let failed = 0;
let events = 0;
let woken = 0;
for (let seed = from; seed < from + seeds; seed += 1) {
  const story = await simulate(seed, values.story ? { tell: (line) => console.log(line) } : {});
  events += story.events;
  woken += story.woken;
  const done = seed - from + 1;
  if (story.findings.length > 0) {
    failed += 1;
    console.log(`Seed ${seed} (again: npm run simulate -- --from ${seed} --seeds 1 --story)`);
    for (const what of story.findings) console.log(`  ${what}`);
  }
  if (done % 1_000 === 0) console.log(`${done} executions, ${perSecond(done)} per second, ${failed} failed`);
}
console.log(`${seeds} executions, ${perSecond(seeds)} per second, ${perSecond(events)} events per second`);
console.log(`${woken} runs had to be woken by the sweep; ${failed} executions found something`);
if (failed > 0) process.exitCode = 1;
