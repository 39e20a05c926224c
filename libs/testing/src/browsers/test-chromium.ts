import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const GET_CHROMIUM = join(import.meta.dirname, '..', '..', 'get-chromium.sh');

/** What a browser does beside showing pages: none of it belongs into a test, and some of it calls home. */
const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-dev-shm-usage'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** A real Chromium, without a window and with a profile of its own; the machine's, or Debian's, which is then installed. */
export async function startTestChromium(): Promise<Browser> {
  const { stdout } = await promisify(execFile)(GET_CHROMIUM, { encoding: 'utf8' });
  return chromium.launch({ executablePath: stdout.trim(), headless: true, args: QUIET });
}
