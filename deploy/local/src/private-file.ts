import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { types } from 'node:util';

/** Readable by its owner only, and whole at any moment: a reader sees the old text or the new one. */
export function writePrivateFile(path: string, content: object): void {
  const half = `${path}.${process.pid}`;
  writeFileSync(half, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(half, path);
}

/** Undefined when there is no such file. */
export function readFileIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (types.isNativeError(error) && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
