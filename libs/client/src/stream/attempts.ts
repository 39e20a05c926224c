import type { PublicEvent } from '@millrace/contracts';

/**
 * Which words still count. An attempt that begins anew says everything again, so what the one before it said is
 * superseded; one that continues after a wait goes on behind it.
 */
export class Attempts {
  readonly #standsFrom = new Map<string, number>();

  take(event: PublicEvent): void {
    if (event.kind === 'NodeStarted' && !event.continues) this.#standsFrom.set(event.taskKey, event.attempt);
  }

  /** As far as events were taken: a later attempt may supersede what stands now. */
  isSuperseded(event: PublicEvent): boolean {
    if (event.kind !== 'TokenDelta' && event.kind !== 'ThoughtDelta' && event.kind !== 'MessageAdded') return false;
    return event.attempt < (this.#standsFrom.get(event.taskKey) ?? 0);
  }
}

/** The events without words that no longer count; everything else, failures and retries too, stays in its place. */
export const standingEvents = (events: readonly PublicEvent[]): PublicEvent[] => {
  const attempts = new Attempts();
  for (const event of events) attempts.take(event);
  return events.filter((event) => !attempts.isSuperseded(event));
};
