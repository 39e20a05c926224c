import { PRESENT_FOR_MS } from '@millrace/ports';
import { agentCatalogueContract } from '@millrace/testing/suites';
import { ManualClock } from './fixed-identity.js';
import { memoryPlatform } from './memory-platform.js';

agentCatalogueContract('memory', async () => {
  const clock = new ManualClock();
  const platform = memoryPlatform({ clock });
  return {
    connect: async () => platform.process().catalogue,
    workersFallSilent: async () => clock.advance(PRESENT_FOR_MS),
    close: async () => {},
  };
});
