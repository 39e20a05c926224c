import { runLogContract } from '@millrace/testing/suites';
import { InMemoryRunLog } from './memory-run-log.js';

runLogContract('memory', async () => {
  const log = new InMemoryRunLog();
  return { log, another: async () => log, close: async () => {} };
});
