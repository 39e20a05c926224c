// Run by src/architecture.spec.ts in a process of its own: Nx and eslint do not load inside jest. Reads snippets as JSON
// from stdin (`[{ file, code }]`), lints them as if they stood in those files, and prints what the rules about imports say.
import { createProjectGraphAsync } from '@nx/devkit';
import { ESLint } from 'eslint';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

const root = join(import.meta.dirname, '..', '..');
const graphFolder = process.env.NX_WORKSPACE_DATA_DIRECTORY;
const RULES = [
  '@nx/enforce-module-boundaries',
  'no-restricted-imports',
  'no-restricted-syntax',
  '@typescript-eslint/no-restricted-imports',
];

await createProjectGraphAsync({ exitOnError: false });
const graphFile = join(graphFolder, 'project-graph.json');
const graph = JSON.parse(readFileSync(graphFile, 'utf8'));
// A cycle is reported instead of the line in `layers` it breaks as well: what depends on what is left out here.
graph.dependencies = {};
// A service that can be imported by name, which no real one can: so that its layer refuses, and not the missing entry.
const entry = {
  packageName: '@millrace/imaginary',
  packageExports: './src/index.ts',
  isInPackageManagerWorkspaces: true,
};
graph.nodes.imaginary = {
  name: 'imaginary',
  type: 'lib',
  data: {
    root: 'services/imaginary',
    tags: ['layer:service', 'vendor:nest'],
    targets: { build: { executor: 'nx:run-commands' } },
    metadata: { js: entry },
  },
};
writeFileSync(graphFile, JSON.stringify(graph));

const eslint = new ESLint({
  cwd: root,
  // These rules need no types, and a file that does not exist has none.
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
  ruleFilter: ({ ruleId }) => RULES.includes(ruleId),
});
const messages = [];
for (const { file, code } of await json(process.stdin)) {
  const [result] = await eslint.lintText(code, { filePath: join(root, file) });
  messages.push(result.messages.map(({ ruleId, message }) => `${ruleId}: ${message}`));
}
const { rules } = await eslint.calculateConfigForFile(join(root, 'libs/kernel/src/index.ts'));
const [, { depConstraints }] = rules['@nx/enforce-module-boundaries'];
process.stdout.write(JSON.stringify({ messages, rows: depConstraints.map(({ sourceTag }) => sourceTag) }));
rmSync(graphFolder, { recursive: true, force: true });
