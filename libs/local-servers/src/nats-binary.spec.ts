import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer } from './nats-binary.js';
import { freePort } from './port.js';
import { NatsServerMissing } from './server-errors.js';

const RELEASE = '2.99.0';
const ARCHIVE = `nats-server-v${RELEASE}-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}.tar.gz`;

describe('findNatsServer', () => {
  let folder: string;
  let mirror: Server | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-find-nats-'));
  });
  afterEach(() => {
    mirror?.close();
    mirror = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes the one NATS_SERVER_BIN names before any other', async () => {
    fakeServer('cache', '2.14.0');
    const bin = fakeServer('mine', '2.12.0');

    expect(await find({ NATS_SERVER_BIN: bin })).toEqual({ path: bin, version: '2.12.0' });
  });

  it('refuses a named one that is too old, and says how to go on', async () => {
    fakeServer('cache', '2.14.0');
    const bin = fakeServer('mine', '2.9.1');

    await expectMissing(
      find({ NATS_SERVER_BIN: bin }),
      `NATS_SERVER_BIN=${bin} is 2.9.1, need >= 2.12.0: name a newer one, or unset it to have one fetched`,
    );
  });

  it('refuses a named one that is not there', async () => {
    await expectMissing(
      find({ NATS_SERVER_BIN: '/nowhere/nats-server' }),
      'NATS_SERVER_BIN=/nowhere/nats-server is no executable: correct it, or unset it to have one fetched',
    );
  });

  it('prefers the cache to PATH, and PATH to fetching', async () => {
    const onPath = fakeServer('path', '2.13.0');
    expect(await find()).toEqual({ path: onPath, version: '2.13.0' });

    const cached = fakeServer('cache', '2.12.5');
    expect(await find()).toEqual({ path: cached, version: '2.12.5' });
  });

  it('passes over what is too old in the cache and on PATH', async () => {
    fakeServer('path', '2.9.1');
    fakeServer('cache', '2.11.99');
    await serveRelease();

    expect(await find()).toEqual({ path: join(folder, 'cache', 'nats-server'), version: RELEASE });
  });

  it('downloads the release into the cache when nothing else has one', async () => {
    await serveRelease();

    expect(await find()).toEqual({ path: join(folder, 'cache', 'nats-server'), version: RELEASE });
    expect(readdirSync(join(folder, 'cache'))).toEqual(['nats-server']);
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  });

  it('gives several callers at once the same whole binary', async () => {
    await serveRelease();

    const found = await Promise.all([find(), find(), find(), find()]);

    expect(new Set(found.map(({ path }) => path))).toEqual(new Set([join(folder, 'cache', 'nats-server')]));
    expect(readdirSync(join(folder, 'cache'))).toEqual(['nats-server']);
  });

  it.each([
    ['has another checksum', `${'0'.repeat(64)}  ${ARCHIVE}\n`],
    ['is not listed', `${'0'.repeat(64)}  another-file\n`],
  ])('throws a download away that %s', async (_, sums) => {
    await serveRelease(sums);

    await expectMissing(find(), nothingFound);
    expect(existsSync(join(folder, 'cache', 'nats-server'))).toBe(false);
  });

  it('says in one line what to do when there is nothing to be had', async () => {
    await expectMissing(find({ NATS_RELEASES_URL: `http://127.0.0.1:${await freePort()}` }), nothingFound);
  });

  const nothingFound =
    'found no nats-server >= 2.12.0 and could not fetch one: install nats-server >= 2.12.0 and set NATS_SERVER_BIN to its path';

  /** Whatever this machine has is out of sight: only its tools are on PATH. */
  function find(environment: NodeJS.ProcessEnv = {}) {
    mkdirSync(join(folder, 'tmp'), { recursive: true });
    return findNatsServer({
      PATH: `${join(folder, 'path')}:/usr/bin:/bin`,
      TMPDIR: join(folder, 'tmp'),
      NATS_CACHE_DIR: join(folder, 'cache'),
      NATS_SUITES: '',
      NATS_RELEASE: RELEASE,
      NATS_RELEASES_URL: releasesUrl(),
      ...environment,
    });
  }

  function fakeServer(subfolder: string, version: string): string {
    const file = join(folder, subfolder, 'nats-server');
    mkdirSync(join(folder, subfolder), { recursive: true });
    writeFileSync(file, `#!/bin/sh\necho "nats-server: v${version}"\n`);
    chmodSync(file, 0o755);
    return file;
  }

  /** Laid out like the project's own releases. */
  async function serveRelease(sums?: string): Promise<void> {
    fakeServer(join('release', 'nats-server'), RELEASE);
    const archive = join(folder, ARCHIVE);
    execFileSync('tar', ['-czf', archive, '-C', join(folder, 'release'), '.']);
    const bytes = readFileSync(archive);
    const files = new Map<string | undefined, Buffer | string>([
      [`/v${RELEASE}/${ARCHIVE}`, bytes],
      [`/v${RELEASE}/SHA256SUMS`, sums ?? `${createHash('sha256').update(bytes).digest('hex')}  ${ARCHIVE}\n`],
    ]);
    mirror = createServer(({ url }, response) => {
      const file = files.get(url);
      response.writeHead(file === undefined ? 404 : 200).end(file);
    });
    await new Promise<void>((resolve) => mirror?.listen(0, '127.0.0.1', resolve));
  }

  function releasesUrl(): string {
    const address = mirror?.address();
    return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : 'http://127.0.0.1:1';
  }

  async function expectMissing(finding: Promise<unknown>, message: string): Promise<void> {
    const error: unknown = await finding.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NatsServerMissing);
    expect(error).toMatchObject({ code: 'NATS_SERVER_MISSING', message });
  }
});
