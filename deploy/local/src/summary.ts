import { relative } from 'node:path';
import type { Home } from './home.js';
import type { RunningStack } from './launcher.js';

/** What a person needs to go on, and nothing else. Passwords stay in the file. */
export function summaryOf(stack: RunningStack, home: Home, isDetached: boolean): string {
  const here = relative(process.cwd(), home.dir) || '.';
  const addresses = [
    ...stack.services.map(({ name, url }) => [name, url]),
    ['NATS', withoutUser(stack.natsUrl)],
    ['PostgreSQL', withoutUser(stack.databaseUrl)],
  ].map(([name = '', url]) => `  ${name.padEnd(15)}${url}`);
  const [first] = stack.services;
  return [
    'Millrace is running.',
    '',
    ...addresses,
    '',
    `  Addresses with passwords, and a token: ${here}/stack.json`,
    `  Logs: ${here}/logs`,
    ...(first === undefined ? [] : [`  Try:  curl ${first.healthUrl}`]),
    `  Stop: ${isDetached ? 'npm stop' : 'Ctrl-C'}`,
  ].join('\n');
}

function withoutUser(text: string): string {
  return text.replace(/\/\/[^/@]*@/g, '//');
}
