/** What a consumer makes of one message. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'park'; readonly reason: string };

export const done: Outcome = { kind: 'done' };
export const retryAfter = (afterMs: number): Outcome => ({ kind: 'retry', afterMs });
export const park = (reason: string): Outcome => ({ kind: 'park', reason });
