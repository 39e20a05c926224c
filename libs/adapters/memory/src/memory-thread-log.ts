import { parseThreadEvent, subjects, type ThreadEvent, type ThreadRef } from '@millrace/contracts';
import { ThreadLog } from '@millrace/ports';
import { keyOf } from './memory-store.js';
import type { ProcessParts } from './process-parts.js';
import { eventOf, frozen } from './stored-events.js';

/** Threads lie beside the runs in the same stream. Asked of the leader, so a thread is known as soon as it is stored. */
export class MemoryThreadLog extends ThreadLog {
  constructor(private readonly parts: ProcessParts) {
    super();
  }

  async create(event: ThreadEvent): Promise<ThreadEvent> {
    const data = JSON.stringify(parseThreadEvent(event));
    return this.parts.wire.ask('write', () => {
      const there = this.at(event);
      if (there) return there;
      const stored = { event: frozen(JSON.parse(data) as ThreadEvent) };
      this.parts.store.runs.store({ subject: subjects.threadEvent(event), data, id: event.eventId, stored });
      return stored.event;
    });
  }

  find(thread: ThreadRef): Promise<ThreadEvent | undefined> {
    return this.parts.wire.ask('read', () => this.at(thread));
  }

  private at(thread: ThreadRef): ThreadEvent | undefined {
    const [first] = this.parts.store.runs.of(keyOf.thread(thread));
    return first && (eventOf(first) as ThreadEvent);
  }
}
