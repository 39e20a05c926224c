/** What a consumer makes of one message. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'park'; readonly reason: string }
  /** Somebody else has it by now: what becomes of the message is theirs to say. */
  | { readonly kind: 'leave' };

export const done: Outcome = { kind: 'done' };
export const leave: Outcome = { kind: 'leave' };
export const retryAfter = (afterMs: number): Outcome => ({ kind: 'retry', afterMs });
export const park = (reason: string): Outcome => ({ kind: 'park', reason });
