export {
  memoryPlatform,
  type MemoryPlatform,
  type MemoryProcess,
  type PlainOptions,
  type SimulatedOptions,
} from './memory-platform.js';
export type { MemoryStore, StoreTimings } from './memory-store.js';
export type { MemoryConsumer } from './memory-consumer.js';
export { bytesOf, type MemoryStream, type StoredMessage } from './memory-stream.js';
export type { Faults, Lag } from './simulated-wire.js';
export { SeededRandom } from './seeded-random.js';
export { VirtualTime } from './virtual-time.js';
export { InMemoryRunLog } from './memory-run-log.js';
export { InMemoryBlobStore } from './memory-blob-store.js';
export { CountingEventIds, ManualClock } from './fixed-identity.js';
export { InMemoryTaskQueue } from './memory-task-queue.js';
