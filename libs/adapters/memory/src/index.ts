export { InMemoryRunLog } from './memory-run-log.js';
export { InMemoryBlobStore } from './memory-blob-store.js';
export { CountingEventIds, ManualClock } from './fixed-identity.js';
export { InMemoryTaskQueue } from './memory-task-queue.js';
