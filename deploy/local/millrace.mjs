// What npm start, stop, setup and token call: builds what the launcher needs, then hands over to it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const main = join(here, 'dist', 'main.js');
const nx = join(here, '..', '..', 'node_modules', '.bin', 'nx');
const [command] = process.argv.slice(2);

if (Number.parseInt(process.versions.node, 10) < 24)
  fail('Node 24.9 or newer is needed: run npm ci, then use npm start');
if (command === 'stop' && !existsSync(main)) {
  console.log('Nothing is running.');
  process.exit(0);
}
if (command === 'start' || !existsSync(main)) await build();
await import(main);

/** Says nothing unless it fails: what has not changed takes two seconds. */
async function build() {
  if (!existsSync(nx)) fail('The packages are not installed: run npm ci first');
  if (!existsSync(main)) console.log('Building; the first time takes a minute.');
  const child = spawn(nx, ['run-many', '-t', 'build', '--projects=tag:layer:service,tag:layer:tool,tag:layer:client'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) fail(`${output}\nThe build failed: correct what it says above, then npm start again`);
}

function fail(problem) {
  console.error(problem);
  process.exit(1);
}
