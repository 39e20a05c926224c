import type { RunEventKind, RunRef } from '@millrace/contracts';
import type { StorePlace } from './store.js';

/** That an event was stored, and where. */
export interface RunSignal {
  readonly run: RunRef;
  readonly kind: RunEventKind;
  readonly place: StorePlace;
}

/** Word of events as they are stored: at most once each, and some may be lost. The log says what they hold. */
export abstract class RunSignals {
  /** Hears of events of these kinds, of all runs or of one, from when this has resolved until the answer is called. */
  abstract listen(kinds: readonly RunEventKind[], hear: (signal: RunSignal) => void, run?: RunRef): Promise<() => void>;
}
