import type { NodeContext } from '@millrace/agent-sdk';
import { PlatformError } from '@millrace/kernel';
import { appendFile } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';

export class LedgerRefused extends PlatformError {
  readonly code = 'LEDGER_REFUSED';
  readonly redelivery = 'park';
}

/**
 * Appends `<runId> <taskKey> <attempt>` to the file a run names, for tests that count what was really done. Only inside
 * the folder of whoever runs the worker: else anybody who may start a run could write to any file there.
 */
export const note = async (context: NodeContext, file?: string, folder?: string): Promise<number> => {
  if (file !== undefined) {
    await appendFile(inside(file, folder), `${context.runId} ${context.taskKey} ${context.attempt}\n`);
  }
  return context.attempt;
};

const inside = (file: string, folder: string | undefined): string => {
  if (!folder) throw new LedgerRefused(`ledgerFile: this worker has no ${LEDGER_FOLDER} and writes no ledger`);
  const path = resolve(folder, file);
  const within = relative(folder, path);
  if (within !== '' && !within.startsWith('..') && !isAbsolute(within)) return path;
  throw new LedgerRefused(`ledgerFile: must lie in the worker's ${LEDGER_FOLDER}`);
};

/** The variable that names the folder. */
export const LEDGER_FOLDER = 'MILLRACE_LEDGER_DIR';
