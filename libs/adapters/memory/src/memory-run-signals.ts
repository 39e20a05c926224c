import { parseSubject, type RunEventKind, type RunRef } from '@millrace/contracts';
import { type RunSignal, RunSignals } from '@millrace/ports';
import { keyOf } from './memory-store.js';
import type { ProcessParts } from './process-parts.js';

/** Word of what is stored reaches a process as live messages do: late, and perhaps not at all. */
export class MemoryRunSignals extends RunSignals {
  constructor(private readonly parts: ProcessParts) {
    super();
  }

  listen(kinds: readonly RunEventKind[], hear: (signal: RunSignal) => void, run?: RunRef): Promise<() => void> {
    const { store, wire } = this.parts;
    const wanted = new Set<string>(kinds);
    return wire.ask('read', () =>
      store.runs.listen(
        ({ subject, place }) => {
          const about = parseSubject(subject);
          if (about?.type !== 'run' || !wanted.has(about.kind)) return;
          const { tenantId, runId, kind } = about;
          wire.tell(() => hear({ run: { tenantId, runId }, kind, place }), 'may be lost');
        },
        run && keyOf.run(run),
      ),
    );
  }
}
