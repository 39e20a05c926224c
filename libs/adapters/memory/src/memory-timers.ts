import { type RunRef, subjects } from '@millrace/contracts';
import { Timers } from '@millrace/ports';
import type { ProcessParts } from './process-parts.js';

export class MemoryTimers extends Timers {
  constructor(private readonly parts: ProcessParts) {
    super();
  }

  async set(run: RunRef, name: string, at: Date): Promise<void> {
    const subject = subjects.timerDue(run, name);
    const { store, wire } = this.parts;
    await wire.ask('write', () => {
      store.timersSet.get(subject)?.();
      const ring = () => {
        store.timersSet.delete(subject);
        store.timers.store({ subject, data: '' });
      };
      store.timersSet.set(subject, store.time.at(at.getTime(), ring));
    });
  }
}
