import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

export interface BrowserBundle {
  /** Every file that got in, by its place in the workspace. */
  readonly files: readonly string[];
  /** What it still asks its surroundings for. */
  readonly imports: readonly string[];
  readonly code: string;
  readonly minifiedBytes: number;
  readonly gzipBytes: number;
}

/** The file and all it imports as one, as a page would load it. Fails like a page would when something is not there. */
export function bundleForBrowser(entry: string, external: readonly string[] = []): BrowserBundle {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bundle-'));
  try {
    const [out, meta] = [join(folder, 'out.js'), join(folder, 'meta.json')];
    const flags = [
      '--bundle',
      '--platform=browser',
      '--format=esm',
      '--target=es2023',
      '--minify',
      '--log-level=error',
    ];
    const names = external.map((name) => `--external:${name}`);
    const places = [`--outfile=${out}`, `--metafile=${meta}`];
    execFileSync('esbuild', [entry, ...flags, ...names, '--conditions=@millrace/source', ...places], { cwd: ROOT });
    const code = readFileSync(out);
    const { inputs, outputs } = JSON.parse(readFileSync(meta, 'utf8')) as {
      inputs: Record<string, unknown>;
      outputs: Record<string, { imports: { path: string }[] }>;
    };
    return {
      files: Object.keys(inputs).sort(),
      imports: [...new Set(Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path)))].sort(),
      code: code.toString(),
      minifiedBytes: code.length,
      gzipBytes: gzipSync(code, { level: 9 }).length,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
