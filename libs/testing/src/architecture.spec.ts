import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const WORKSPACES = ['libs/*', 'libs/adapters/*', 'services/*', 'deploy/*'];
const PURE = [
  'layer:kernel',
  'layer:contracts',
  'layer:domain',
  'layer:views',
  'layer:dialects',
  'layer:ports',
  'layer:application',
  'layer:client',
  'layer:react',
];

/** One line each: the row of `layers` in eslint.config.mjs that refuses, who imports, and what. */
const REFUSED_BY_ROW: readonly [row: string, project: string, imported: string][] = [
  ['layer:kernel', 'libs/kernel', '@millrace/contracts'],
  ['layer:kernel', 'libs/kernel', 'zod'],
  ['layer:contracts', 'libs/contracts', '@millrace/run-domain'],
  ['layer:contracts', 'libs/contracts', '@nestjs/common'],
  ['layer:domain', 'libs/run-domain', '@millrace/adapter-jetstream'],
  ['layer:domain', 'libs/run-domain', 'zod'],
  ['layer:views', 'libs/run-views', '@millrace/ports'],
  ['layer:views', 'libs/run-views', 'zod'],
  ['layer:dialects', 'libs/dialects', '@millrace/run-domain'],
  ['layer:dialects', 'libs/dialects', 'zod'],
  ['layer:ports', 'libs/ports', '@millrace/application'],
  ['layer:ports', 'libs/ports', 'zod'],
  ['layer:sdk', 'libs/agent-sdk', '@millrace/run-domain'],
  ['layer:agents', 'libs/agents', '@millrace/adapter-langgraph'],
  ['layer:application', 'libs/application', '@millrace/adapter-postgres'],
  ['layer:application', 'libs/application', 'rxjs'],
  ['layer:adapter', 'libs/adapters/postgres', '@millrace/adapter-jetstream'],
  ['layer:adapter', 'libs/adapters/jetstream', '@millrace/imaginary'],
  ['layer:kit', 'libs/nest-kit', '@millrace/run-domain'],
  ['layer:kit', 'libs/nest-kit', '@millrace/imaginary'],
  ['layer:service', 'services/projector', '@millrace/imaginary'],
  ['layer:service', 'services/projector', '@millrace/local-servers'],
  ['layer:client', 'libs/client', '@millrace/agent-sdk'],
  ['layer:client', 'libs/client', 'zod'],
  ['layer:react', 'libs/react', '@millrace/run-domain'],
  ['layer:react', 'libs/react', 'rxjs'],
  ['layer:servers', 'libs/local-servers', '@millrace/contracts'],
  ['layer:tool', 'deploy/local', '@millrace/nest-kit'],
  ['layer:testing', 'libs/testing', '@millrace/nest-kit'],
  ['vendor:none', 'libs/local-servers', '@nats-io/nats-core'],
  ['vendor:none', 'libs/testing', '@nestjs/common'],
  ['vendor:nats', 'libs/adapters/jetstream', '@mikro-orm/core'],
  ['vendor:mikro-orm', 'libs/adapters/postgres', '@nats-io/jetstream'],
  ['vendor:langchain', 'libs/adapters/langgraph', '@nestjs/common'],
  ['vendor:nest', 'libs/nest-kit', '@nats-io/nats-core'],
  ['vendor:nest', 'services/projector', '@mikro-orm/postgresql'],
];

const REFUSED_AT_ALL: readonly [why: string, project: string, imported: string][] = [
  ['a file inside a library', 'libs/run-domain', '@millrace/contracts/src/kinds.js'],
  ['a path a library does not export', 'services/projector', '@millrace/contracts/kinds'],
  ['a file of another project', 'libs/run-domain', '../../contracts/src/kinds.js'],
  ['a file of another project', 'services/projector', '../../imaginary/src/main.js'],
  ['a file by its place in the workspace', 'libs/run-domain', 'libs/contracts/src/kinds.js'],
  ['a service by its name', 'libs/application', '@millrace/projector'],
  ['a service by its name', 'services/imaginary', '@millrace/projector'],
  ['a package nobody declared', 'libs/local-servers', 'left-pad'],
];

const ALLOWED: readonly [layer: string, project: string, imported: string][] = [
  ['layer:kernel', 'libs/kernel', './assert-never.js'],
  ['layer:contracts', 'libs/contracts', 'zod'],
  ['layer:contracts', 'libs/contracts', '@millrace/kernel'],
  ['layer:domain', 'libs/run-domain', '@millrace/contracts'],
  ['layer:views', 'libs/run-views', '@millrace/contracts'],
  ['layer:dialects', 'libs/dialects', '@millrace/contracts'],
  ['layer:ports', 'libs/ports', '@millrace/run-domain'],
  ['layer:sdk', 'libs/agent-sdk', '@millrace/ports'],
  ['layer:agents', 'libs/agents', '@millrace/agent-sdk'],
  ['layer:application', 'libs/application', '@millrace/ports'],
  ['layer:adapter', 'libs/adapters/jetstream', '@millrace/ports'],
  ['layer:adapter', 'libs/adapters/jetstream', '@nats-io/jetstream'],
  ['layer:adapter', 'libs/adapters/postgres', '@mikro-orm/postgresql'],
  ['layer:adapter', 'libs/adapters/langgraph', '@langchain/langgraph'],
  ['layer:kit', 'libs/nest-kit', '@nestjs/common'],
  ['layer:kit', 'libs/nest-kit', '@millrace/adapter-jetstream'],
  ['layer:service', 'services/projector', '@millrace/nest-kit'],
  ['layer:client', 'libs/client', '@millrace/contracts/browser'],
  ['layer:react', 'libs/react', '@millrace/client'],
  ['layer:react', 'libs/react', 'react'],
  ['layer:servers', 'libs/local-servers', 'node:child_process'],
  ['layer:tool', 'deploy/local', '@millrace/local-servers'],
  ['layer:testing', 'libs/testing', '@millrace/run-domain'],
  ['layer:testing', 'libs/testing', '@millrace/adapter-postgres'],
];

const projects = globSync(
  WORKSPACES.map((folders) => `${folders}/project.json`),
  { cwd: ROOT },
)
  .sort()
  .map((file) => ({ root: dirname(file), tags: tagsIn(file) }));
const pure = projects.filter(({ tags }) => tags.some((tag) => PURE.includes(tag))).map(({ root }) => root);
const outsideTheKit = projects.map(({ root }) => root).filter((root) => root !== 'libs/testing');

const NODE_IMPORTS = [
  `import * as it from 'node:fs'; export { it };`,
  `import * as it from 'fs'; export { it };`,
  `export * from 'fs/promises';`,
  `export const it = import('node:fs');`,
  `export type It = import('node:fs').Stats;`,
];
const KIT = [
  '@millrace/testing',
  '@millrace/testing/browsers',
  '@millrace/testing/servers',
  '@millrace/testing/services',
  '@millrace/adapter-memory',
  '@jest/globals',
  'fast-check',
];

describe('The architecture', () => {
  const asked: { file: string; code: string }[] = [];
  const answers = new Map<string, string[]>();
  let rows: string[];
  const key = (file: string, code: string) => `${file}\n${code}`;
  const file = (project: string) => `${project}/src/imaginary.ts`;
  const spec = (project: string) => `${project}/src/imaginary.spec.ts`;
  const importOf = (imported: string) => `import * as it from '${imported}'; export { it };`;
  const answer = (at: string, code: string): string[] => {
    const found = answers.get(key(at, code));
    if (found === undefined) throw new Error(`Nobody linted "${code}" in ${at}`);
    return found;
  };

  // One process for all of them: starting eslint costs more than all the snippets.
  beforeAll(() => {
    for (const [, project, imported] of [...REFUSED_BY_ROW, ...REFUSED_AT_ALL, ...ALLOWED])
      asked.push({ file: file(project), code: importOf(imported) });
    for (const project of pure) for (const code of NODE_IMPORTS) asked.push({ file: file(project), code });
    for (const project of outsideTheKit)
      for (const imported of KIT)
        for (const at of [file(project), spec(project)]) asked.push({ file: at, code: importOf(imported) });
    for (const project of pure) asked.push({ file: spec(project), code: importOf('node:fs') });

    const linted = lint(asked);
    rows = linted.rows;
    asked.forEach((one, index) => answers.set(key(one.file, one.code), linted.messages[index] ?? []));
  });

  it.each(REFUSED_BY_ROW)('refuses by %s: %s imports %s', (row, project, imported) => {
    expect(answer(file(project), importOf(imported))).toEqual([expect.stringContaining(`tagged with "${row}"`)]);
  });

  it.each(REFUSED_AT_ALL)('refuses %s: %s imports %s', (_, project, imported) => {
    expect(answer(file(project), importOf(imported))).toEqual([
      expect.stringMatching(/^@nx\/enforce-module-boundaries: /),
    ]);
  });

  it.each(ALLOWED)('allows %s: %s imports %s', (_, project, imported) => {
    expect(answer(file(project), importOf(imported))).toEqual([]);
  });

  it('has an example above for every row, and a project of that layer in it', () => {
    const tagsOf = new Map(projects.map(({ root, tags }) => [root, tags]));
    expect(new Set(REFUSED_BY_ROW.map(([row]) => row))).toEqual(new Set(rows));
    expect(new Set(ALLOWED.map(([layer]) => layer))).toEqual(new Set(rows.filter((row) => row.startsWith('layer:'))));
    for (const [row, project] of [...REFUSED_BY_ROW, ...ALLOWED]) expect(tagsOf.get(project)).toContain(row);
  });

  it.each(pure)("keeps %s free of Node's own modules, but not its specs", (project) => {
    for (const code of NODE_IMPORTS) expect([code, answer(file(project), code)]).toEqual([code, [expect.any(String)]]);
    expect(answer(spec(project), importOf('node:fs'))).toEqual([]);
  });

  it.each(outsideTheKit)('lets only the specs of %s use the test kit', (project) => {
    for (const imported of KIT) {
      expect(answer(file(project), importOf(imported))).toEqual([expect.stringContaining(`'${imported}'`)]);
      expect(answer(spec(project), importOf(imported))).toEqual([]);
    }
  });

  it.each(projects)('gives $root one layer and one vendor, both with a row', ({ tags }) => {
    expect(tags.filter((tag) => tag.startsWith('layer:'))).toHaveLength(1);
    expect(tags.filter((tag) => tag.startsWith('vendor:'))).toHaveLength(1);
    expect(rows).toEqual(expect.arrayContaining(tags));
  });

  it('knows every project', () => {
    const packages = globSync(
      WORKSPACES.map((folders) => `${folders}/package.json`),
      { cwd: ROOT },
    ).map(dirname);
    expect(packages.filter((root) => !existsSync(join(ROOT, root, 'project.json')))).toEqual([]);
    expect(projects.length).toBeGreaterThan(10);
  });
});

function tagsIn(projectFile: string): string[] {
  const { tags = [] } = JSON.parse(readFileSync(join(ROOT, projectFile), 'utf8')) as { tags?: string[] };
  return tags;
}

function lint(snippets: readonly { file: string; code: string }[]): { messages: string[][]; rows: string[] } {
  // A folder of its own for the project graph: somebody may be running Nx on the same tree.
  const graphFolder = mkdtempSync(join(tmpdir(), 'millrace-graph-'));
  const output = execFileSync('node', [join(ROOT, 'libs/testing/lint-imports.mjs')], {
    cwd: ROOT,
    input: JSON.stringify(snippets),
    encoding: 'utf8',
    env: { ...process.env, NX_DAEMON: 'false', NX_WORKSPACE_DATA_DIRECTORY: graphFolder },
  });
  return JSON.parse(output) as { messages: string[][]; rows: string[] };
}
