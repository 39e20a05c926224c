import type { ThreadEvent, ThreadRef } from '@millrace/contracts';

/** Conversations over many runs. So far a thread has one event: that it was created. */
export abstract class ThreadLog {
  /**
   * Stores a thread's first event and resolves with it; resolves with the one that is there when the thread exists,
   * whoever created it. Rejects with StoreUnavailable or StoreFull when the store does not take it.
   */
  abstract create(event: ThreadEvent): Promise<ThreadEvent>;

  /** Undefined for a thread nobody has created. Knows a thread as soon as `create` has resolved. */
  abstract find(thread: ThreadRef): Promise<ThreadEvent | undefined>;
}
