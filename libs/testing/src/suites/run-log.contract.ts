import { afterAll, beforeAll, describe } from '@jest/globals';
import type { OpenedRunLog } from './log-fixtures.js';
import { appendRules } from './run-log.append-rules.js';
import { concurrencyRules } from './run-log.concurrency-rules.js';
import { followRules } from './run-log.follow-rules.js';
import { payloadRules } from './run-log.payload-rules.js';
import { readRules } from './run-log.read-rules.js';

export type { OpenedRunLog } from './log-fixtures.js';

/** What every run log promises: also held against one that is replicated, apart from the rest of its platform. */
export const runLogContract = (name: string, open: () => Promise<OpenedRunLog>): void => {
  describe(`The ${name} run log`, () => {
    let opened: OpenedRunLog;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    runLogRules(() => opened);
  });
};

export const runLogRules = (opened: () => OpenedRunLog): void => {
  appendRules(opened);
  readRules(opened);
  followRules(opened);
  payloadRules(opened);
  concurrencyRules(opened);
};
