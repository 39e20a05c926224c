import { connectNats, setUpTopology } from '@millrace/adapter-jetstream';
import { statfsSync } from 'node:fs';
import type { Home } from './home.js';

export async function setUp(url: string, size: Parameters<typeof setUpTopology>[1]): Promise<void> {
  const nats = await connectNats({ url, name: 'set-up' });
  try {
    await setUpTopology(nats, size);
  } finally {
    await nats.close();
  }
}

const MOST_BYTES = 10 * 1024 ** 3;

/** nats-server sets aside what a stream may grow to: on a small disk the usual 10 GiB each would be refused. */
export function roomIn({ dir }: Home, shareOfDisk = 0.3): { maxLogBytes: number; maxBlobBytes: number } {
  const { bavail, bsize } = statfsSync(dir);
  const share = Math.min(MOST_BYTES, Math.floor(bavail * bsize * shareOfDisk));
  return { maxLogBytes: share, maxBlobBytes: share };
}
