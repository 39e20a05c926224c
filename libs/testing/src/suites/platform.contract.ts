import { afterAll, beforeAll, describe } from '@jest/globals';
import { atLeastRules } from './at-least.rules.js';
import { blobStoreRules } from './blob-store.rules.js';
import { coordinationRules } from './coordination.rules.js';
import { deliveriesRules } from './deliveries.rules.js';
import { eventFeedRules } from './event-feed.rules.js';
import type { OpenedPlatform } from './platform-fixtures.js';
import { runLogRules } from './run-log.contract.js';
import { runRequestsRules } from './run-requests.rules.js';
import { runSignalsRules } from './run-signals.rules.js';
import { taskQueueRules } from './task-queue.rules.js';
import { tenantFeedRules } from './tenant-feed.rules.js';
import { threadLogRules } from './thread-log.rules.js';
import { timersRules } from './timers.rules.js';

export type { OpenedPlatform, PlatformProcess } from './platform-fixtures.js';

/** What every port of a platform promises: held against the one in memory and against JetStream. */
export const platformContract = (name: string, open: () => Promise<OpenedPlatform>): void => {
  describe(`The ${name} platform:`, () => {
    let platform: OpenedPlatform;
    const opened = () => platform;
    beforeAll(async () => {
      platform = await open();
    });
    afterAll(() => platform.close());

    describe('the run log', () =>
      runLogRules(() => ({
        log: platform.platform.runs,
        another: async () => (await platform.another()).platform.runs,
        close: () => platform.close(),
      })));
    atLeastRules(opened);
    threadLogRules(opened);
    runRequestsRules(opened);
    eventFeedRules(opened);
    tenantFeedRules(opened);
    taskQueueRules(opened);
    deliveriesRules(opened);
    runSignalsRules(opened);
    timersRules(opened);
    coordinationRules(opened);
    describe('the blob store', () => blobStoreRules(() => platform.platform.blobs));
  });
};
