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
  return [
    'Millrace is running.',
    '',
    ...addresses,
    '',
    `  Addresses with passwords, and a token: ${here}/stack.json`,
    `  Logs: ${here}/logs`,
    ...(stack.apiUrl === undefined ? [] : [`  Routes to read and try: ${stack.apiUrl}/docs`]),
    ...tryIt(stack, here),
    `  Stop: ${isDetached ? 'npm stop' : 'Ctrl-C'}`,
  ].join('\n');
}

/** Starts a run and follows it. */
function tryIt({ apiUrl, streamUrl }: RunningStack, here: string): string[] {
  if (apiUrl === undefined || streamUrl === undefined) return [];
  const body = `'{"agent":"echo","appId":"try","policy":"default","input":{"text":"hello brave new world"}}'`;
  return [
    `  Try:  auth="authorization: Bearer $(jq -r .token ${here}/stack.json)"`,
    `        run=$(curl -s ${apiUrl}/agents/runs -H "$auth" -H 'content-type: application/json' \\`,
    `          -d ${body} | jq -r .runId)`,
    `        curl -N ${streamUrl}/agents/runs/$run/stream -H "$auth"`,
  ];
}

function withoutUser(text: string): string {
  return text.replace(/\/\/[^/@]*@/g, '//');
}
