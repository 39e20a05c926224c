import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PUBLISHED = ['kernel', 'contracts', 'client', 'react'];

/** Somebody's project: our packages as npm would pack them, and beside them what they name as dependencies. */
describe('The packages we publish', () => {
  const home = mkdtempSync(join(tmpdir(), 'millrace-packages-'));
  const run = (command: string, ...args: string[]): string =>
    // Whoever runs the specs in colour must not colour what is compared here.
    execFileSync(command, args, {
      cwd: home,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '', FORCE_COLOR: '0' },
    });

  beforeAll(() => {
    mkdirSync(join(home, 'node_modules', '@millrace'), { recursive: true });
    mkdirSync(join(home, 'node_modules', '@types'));
    for (const name of PUBLISHED) {
      const tarball = run('npm', 'pack', '--silent', join(ROOT, 'libs', name)).trim();
      const folder = join(home, 'node_modules', '@millrace', name);
      mkdirSync(folder);
      run('tar', '-xzf', tarball, '-C', folder, '--strip-components=1');
    }
    for (const name of ['zod', 'react', 'react-dom', '@types/react', 'csstype']) {
      symlinkSync(join(ROOT, 'node_modules', name), join(home, 'node_modules', name));
    }
    writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it.each(PUBLISHED)('%s carries what it runs on and its types, and neither specs nor sources', (name) => {
    const files = run('tar', '-tzf', `millrace-${name}-0.0.0.tgz`).trim().split('\n');
    expect(files).toEqual(
      expect.arrayContaining(['package/package.json', 'package/dist/index.js', 'package/dist/index.d.ts']),
    );
    expect(files.filter((file) => /spec|tsbuildinfo|^package\/src\//.test(file))).toEqual([]);
    const { dependencies = {}, sideEffects } = JSON.parse(
      readFileSync(join(home, 'node_modules', '@millrace', name, 'package.json'), 'utf8'),
    ) as { dependencies?: Record<string, string>; sideEffects?: boolean };
    expect(sideEffects).toBe(false);
    for (const dependency of Object.keys(dependencies)) {
      expect(['zod', ...PUBLISHED.map((published) => `@millrace/${published}`)]).toContain(dependency);
    }
  });

  it('run in Node without loading zod', () => {
    writeFileSync(
      join(home, 'use.mjs'),
      `import { createClient, coalesceTokenDeltas } from '@millrace/client';
       import { useRunStream } from '@millrace/react';
       const client = createClient({ baseUrl: 'http://127.0.0.1:9', retry: { attempts: 1 } });
       const error = await client.runs.get('x').catch((error) => error);
       console.log(error.code, typeof useRunStream, coalesceTokenDeltas([]).length);`,
    );
    rmSync(join(home, 'node_modules', 'zod'));
    try {
      expect(run(process.execPath, 'use.mjs').trim()).toBe('CONNECTION_FAILED function 0');
    } finally {
      symlinkSync(join(ROOT, 'node_modules', 'zod'), join(home, 'node_modules', 'zod'));
    }
  });

  it.each(['NodeNext', 'Bundler'])('are typed for %s resolution, checked to the last declaration', (resolution) => {
    writeFileSync(
      join(home, 'use.ts'),
      `import { AgentService, createClient, type PublicEvent } from '@millrace/client';
       import { usePendingInputs, useRunStream } from '@millrace/react';
       const client = createClient({ baseUrl: '' });
       const text = (event: PublicEvent): string => (event.kind === 'TokenDelta' ? event.text : '');
       for await (const event of client.streamRun('x')) text(event);
       const { runId } = await client.runs.create({ appId: 'a', policy: 'p' });
       new AgentService().startRun({ agent: 'a', handlers: { queryConsent: () => ({ consent: true }) } });
       // @ts-expect-error a policy is needed
       void client.runs.create({ appId: runId });
       // @ts-expect-error consent is a yes or a no
       new AgentService().startRun({ agent: 'a', handlers: { queryConsent: () => ({ consent: 'yes' }) } });
       export const useIt = (id: string) => [useRunStream(id).events, usePendingInputs(id).pending];`,
    );
    const compilerOptions = {
      ...{ strict: true, noEmit: true, target: 'ES2023', types: [], lib: ['ES2023', 'DOM', 'DOM.Iterable'] },
      ...{
        module: resolution === 'Bundler' ? 'ESNext' : 'NodeNext',
        moduleResolution: resolution,
        skipLibCheck: false,
      },
    };
    writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    expect(run(join(ROOT, 'node_modules', '.bin', 'tsc'), '-p', 'tsconfig.json')).toBe('');
  });
});
