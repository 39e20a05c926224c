import { benchApi } from './api.bench-suite.js';
import { benchFar } from './far.bench-suite.js';
import { benchLine } from './line.bench-suite.js';
import { benchLog } from './log.bench-suite.js';
import { benchRun } from './run.bench-suite.js';
import { benchStream } from './stream.bench-suite.js';

const SUITES: Readonly<Record<string, () => Promise<void>>> = {
  log: benchLog,
  run: benchRun,
  stream: benchStream,
  api: benchApi,
  far: benchFar,
  line: benchLine,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  console.error(`No such benchmark: ${unknown.join(', ')}. There are: ${Object.keys(SUITES).join(', ')}`);
  process.exit(1);
}
console.log(
  'Each figure beside the raw client in the same run. The machine is shared: compare ratios, not milliseconds.',
);
for (const name of wanted.length > 0 ? wanted : Object.keys(SUITES)) await SUITES[name]!();
