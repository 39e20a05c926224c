import { describe } from '@jest/globals';
import { type OpenedPlatform, platformContract } from '@millrace/testing/suites';
import { memoryPlatform, type MemoryPlatform } from './memory-platform.js';
import type { Lag } from './simulated-wire.js';

const openedOn = (platform: MemoryPlatform, stop: () => void): OpenedPlatform => ({
  platform,
  async another() {
    const process = platform.process();
    return { platform: process, kill: async () => process.crash() };
  },
  close: async () => stop(),
});

/** In virtual time, which moves by itself as fast as it can. */
const openSimulated = async (seed: number, lag: Lag): Promise<OpenedPlatform> => {
  const platform = memoryPlatform({ seed, lag });
  const stop = new AbortController();
  const driving = platform.time.drive(stop.signal);
  const opened = openedOn(platform, () => stop.abort());
  return { ...opened, close: () => opened.close().then(() => driving) };
};

platformContract('memory', async () => openedOn(memoryPlatform(), () => {}));

describe.each([1, 2])('By seed %i', (seed) => {
  platformContract('simulated', () => openSimulated(seed, { chance: 0, mostMs: 0 }));
  platformContract('lagging', () => openSimulated(seed, { chance: 0.5, mostMs: 2_000 }));
});
