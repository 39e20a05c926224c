import { benchApi } from './api.bench-suite.js';
import { benchFar } from './far.bench-suite.js';
import { benchLine } from './line.bench-suite.js';
import { benchLog } from './log.bench-suite.js';
import { benchRun, isRunPart, RUN_PARTS } from './run.bench-suite.js';
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
const parts = wanted.filter(isRunPart);
const suites = wanted.filter((name) => !isRunPart(name));
const unknown = suites.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  const known = [...Object.keys(SUITES), ...RUN_PARTS].join(', ');
  console.error(`No such benchmark: ${unknown.join(', ')}. There are: ${known}`);
  process.exit(1);
}
console.log(
  'Each figure beside the raw client in the same run. The machine is shared: compare ratios, not milliseconds.',
);
for (const name of wanted.length > 0 ? suites : Object.keys(SUITES)) await SUITES[name]!();
if (parts.length > 0) await benchRun(parts);
