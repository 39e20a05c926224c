import { TenantId } from '@millrace/contracts';
import { join } from 'node:path';
import { parseArgs, types } from 'node:util';
import { WORKSPACE } from './home.js';
import { UsageWrong } from './launcher-errors.js';
import { EVERYTHING, type TokenClaims } from './token.js';

export interface StartCommand {
  readonly command: 'start';
  readonly home: string;
  readonly isDetached: boolean;
  /** Three nats-servers that replicate, instead of one. */
  readonly isCluster: boolean;
}
export type Command =
  | StartCommand
  | { readonly command: 'stop'; readonly home: string }
  | { readonly command: 'setup' }
  | { readonly command: 'token'; readonly home: string; readonly claims: Partial<TokenClaims> };

const USAGE = `Usage:
  npm start [-- --detach] [--cluster]
  npm stop
  npm run setup
  npm run token [-- --tenant <ULID>] [--sub <name>] [--scope <scopes>]
start, stop and token take --home <folder> (or MILLRACE_HOME); else it is .millrace`;

export function parseCommand(argv: readonly string[], env: NodeJS.ProcessEnv): Command {
  const [command = '', ...args] = argv;
  const usualHome = env['MILLRACE_HOME'] || join(WORKSPACE, '.millrace');
  switch (command) {
    case 'start': {
      const {
        home = usualHome,
        detach = false,
        cluster = false,
      } = read(args, { home: { type: 'string' }, detach: { type: 'boolean' }, cluster: { type: 'boolean' } });
      return { command, home, isDetached: detach, isCluster: cluster };
    }
    case 'stop':
      return { command, home: read(args, { home: { type: 'string' } }).home ?? usualHome };
    case 'setup':
      read(args, {});
      return { command };
    case 'token': {
      const text = { type: 'string' } as const;
      const { home = usualHome, tenant, sub, scope } = read(args, { home: text, tenant: text, sub: text, scope: text });
      const subject = sub === '' ? fail('--sub needs a name') : sub;
      const tenantId = tenant === undefined ? undefined : tenantIn(tenant);
      return { command, home, claims: { tenantId, subject, scope: scope ?? EVERYTHING } };
    }
    default:
      return fail(command === '' ? 'Say what to do' : `There is no command ${command}`);
  }
}

function read<O extends NonNullable<Parameters<typeof parseArgs>[0]>['options'] & object>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    return fail(types.isNativeError(error) ? error.message : String(error));
  }
}

function tenantIn(text: string): TenantId {
  const parsed = TenantId.safeParse(text);
  return parsed.success ? parsed.data : fail(`--tenant ${text}: ${parsed.error.issues[0]?.message}`);
}

function fail(problem: string): never {
  throw new UsageWrong(`${problem}\n${USAGE}`);
}
