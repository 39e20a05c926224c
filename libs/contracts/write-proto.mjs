// Writes proto/ from the built contracts; with --check it writes nothing and fails when a file is stale.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { protoFiles } from './dist/proto/proto-files.js';

const root = join(import.meta.dirname, '../../proto');
const expected = protoFiles();
const present = await filesUnder(root);

const stale = [];
for (const [path, text] of expected) {
  const found = present.includes(path) ? await readFile(join(root, path), 'utf8') : undefined;
  if (found !== text) stale.push(path);
}
const left = present.filter((path) => !expected.has(path));

if (process.argv.includes('--check')) {
  for (const path of [...stale, ...left]) console.error(`proto/${path} does not match libs/contracts`);
  if (stale.length + left.length > 0) {
    console.error('proto/ is stale: run `npm run proto` and commit what it writes.');
    process.exitCode = 1;
  } else {
    console.log(`proto/ is up to date (${expected.size} files).`);
  }
} else {
  for (const path of stale) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), expected.get(path));
  }
  for (const path of left) await rm(join(root, path));
  console.log(`proto/: ${stale.length} written, ${left.length} removed, ${expected.size} in all.`);
}

async function filesUnder(folder) {
  await mkdir(folder, { recursive: true });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}
