import { type MemoryTime, SystemTime } from './memory-time.js';
import { MemoryStore } from './memory-store.js';
import { PlainWire, type Wire } from './wire.js';

/** What each port of one process is made of: the store that all share, and the process's own wire to it. */
export interface ProcessParts {
  readonly store: MemoryStore;
  readonly wire: Wire;
}

/** A store for one process, without lag and faults. */
export const plainParts = (time: MemoryTime = new SystemTime()): ProcessParts => ({
  store: new MemoryStore(time),
  wire: new PlainWire(time),
});
