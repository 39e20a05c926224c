import { eventFixture, type RunEventKind } from '@millrace/contracts';
import { isRunEventKind } from '@millrace/contracts/browser';
import type { PublicEvent } from '@millrace/contracts';
import type { TokenDelta } from './stream/public-event.js';

const idAt = (sequence: number): string => `01JD${String(sequence).padStart(22, '0')}`;

/** A fixture at its place in the story. */
export const eventAt = (sequence: number, kind: RunEventKind): PublicEvent =>
  ({
    ...eventFixture(kind, { position: sequence + 1, sequence }),
    eventId: idAt(sequence),
  }) as PublicEvent;

export const token = (sequence: number, text: string, more: Partial<TokenDelta> = {}): TokenDelta => ({
  ...(eventAt(sequence, 'TokenDelta') as TokenDelta),
  text,
  ...more,
});

/** One event for each saying: a kind, what a token says, or how a token differs. */
export const someEvents = (sayings: readonly (string | Partial<TokenDelta>)[]): PublicEvent[] =>
  sayings.map((saying, sequence) => {
    if (typeof saying !== 'string') return token(sequence, 'x', saying);
    return isRunEventKind(saying) ? eventAt(sequence, saying) : token(sequence, saying);
  });

/** A run that says so many words. */
export const aStory = (words: number): PublicEvent[] =>
  someEvents(['RunStarted', 'NodeStarted', ...Array.from({ length: words }, (_, at) => `${at} `), 'RunFinished']);

export async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const each of source) taken.push(each);
  return taken;
}
