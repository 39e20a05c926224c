/** What the platform in memory knows of time: the system's, one that is moved by hand, or a virtual one. */
export interface MemoryTime {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /**
   * Does it then, and at once when the time has passed; the answer takes it back. What is done in the background happens
   * only while something else is still to come: a heartbeat is no reason for time to move on.
   */
  at(dueAtMs: number, what: () => void, place?: 'background'): () => void;
}

/** setTimeout takes no more. */
const LONGEST_MS = 2 ** 31 - 1;

export class SystemTime implements MemoryTime {
  nowMs(): number {
    return Date.now();
  }

  at(dueAtMs: number, what: () => void): () => void {
    const timer = setTimeout(what, Math.min(Math.max(dueAtMs - Date.now(), 0), LONGEST_MS)).unref();
    return () => clearTimeout(timer);
  }
}
