import { rmSync } from 'node:fs';
import type { Home } from './home.js';
import { writePrivateFile } from './private-file.js';

/** What a person or a script needs to use the stack that runs. It is there while the stack is. */
export interface Stack {
  readonly apiUrl?: string;
  readonly streamUrl?: string;
  readonly consoleUrl?: string;
  /** Of a user that may do everything, for the NATS CLI. */
  readonly natsUrl: string;
  /** Of the owner, for psql and migrations. Services have a role with less rights. */
  readonly databaseUrl: string;
  readonly tenantId: string;
  readonly token: string;
  readonly pids: Readonly<Record<string, number>>;
}

export const writeStack = ({ stackFile }: Home, stack: Stack): void => writePrivateFile(stackFile, stack);

export const removeStack = ({ stackFile }: Home): void => rmSync(stackFile, { force: true });
