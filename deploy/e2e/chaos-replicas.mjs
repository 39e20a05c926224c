// npm run chaos:replicas -- [--runs 300] [--rounds 10] [--calm]: many runs on three nats-servers while followers of the log
// are stopped and leaders are killed; with --calm each round is run undisturbed first. Build the services before.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '10' },
    calm: { type: 'boolean', default: false },
  },
});
for (const name of ['runs', 'rounds']) {
  if (/^[1-9]\d*$/.test(values[name])) continue;
  console.error(`--${name} ${values[name]}: must be a whole number above 0`);
  process.exit(1);
}
const jest = join(import.meta.dirname, '..', '..', 'node_modules', 'jest', 'bin', 'jest.js');
const child = spawn(process.execPath, [jest, 'replicas'], {
  cwd: import.meta.dirname,
  stdio: 'inherit',
  env: {
    ...process.env,
    NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
    REPLICAS_RUNS: values.runs,
    REPLICAS_ROUNDS: values.rounds,
    REPLICAS_WAYS: values.calm ? 'calm,troubled' : 'troubled',
  },
});
child.once('exit', (code, signal) => process.exit(code ?? (signal === null ? 0 : 1)));
