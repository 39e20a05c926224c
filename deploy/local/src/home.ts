import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder everything of one stack lies in. Removing it begins anew. */
export interface Home {
  readonly dir: string;
  readonly stackFile: string;
  readonly secretsFile: string;
  readonly lockFile: string;
  readonly logs: string;
  /** The data of one nats-server, or of three; never both. */
  readonly nats: string;
  readonly natsCluster: string;
  readonly postgres: string;
}

export function openHome(dir: string): Home {
  const at = (...parts: string[]) => join(resolve(dir), ...parts);
  // Open to look into: as root, PostgreSQL runs as another account. What is secret is closed by itself.
  mkdirSync(at(), { recursive: true, mode: 0o755 });
  mkdirSync(at('logs'), { recursive: true, mode: 0o700 });
  return {
    dir: at(),
    stackFile: at('stack.json'),
    secretsFile: at('secrets.json'),
    lockFile: at('launcher.json'),
    logs: at('logs'),
    nats: at('nats'),
    natsCluster: at('nats-cluster'),
    postgres: at('postgres'),
  };
}

/** The checkout, three folders above this file, whether it runs from `src` or from `dist`. */
export const WORKSPACE = resolve(import.meta.dirname, '..', '..', '..');
