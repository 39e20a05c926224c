import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** `file:line` where loading a module went wrong, as far as it can be told; `file` is the module itself. */
export const lineOf = async (cause: unknown, file: string): Promise<string | undefined> => {
  if (!(cause instanceof Error)) return undefined;
  const inStack = placesIn(cause.stack ?? '');
  const own = inStack.find((place) => place.startsWith(`${file}:`)) ?? inStack[0];
  return own ?? (cause instanceof SyntaxError ? lineOfSyntaxError(file) : undefined);
};

/** Node tells where a module's syntax is wrong only to whoever checks the file, and not in the error's stack. */
const lineOfSyntaxError = async (file: string): Promise<string | undefined> => {
  try {
    await run(process.execPath, ['--check', file], { timeout: CHECK_MS });
    return undefined; // it is in a module it imports
  } catch (error) {
    const said = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr) : '';
    return placesIn(said).find((place) => place.startsWith(`${file}:`));
  }
};

const run = promisify(execFile);
const CHECK_MS = 10_000;

/** Lines of files that are neither Node's own nor of a package. */
const placesIn = (text: string): string[] =>
  [...text.matchAll(/(?:^|[\s(])((?:file:\/\/)?\/[^\s()]*?):(\d+)(?::\d+)?(?=\)?$)/gm)].flatMap(([, path, line]) => {
    if (path === undefined || path.includes('/node_modules/')) return [];
    return [`${path.startsWith('file:') ? fileURLToPath(path) : path}:${line}`];
  });
