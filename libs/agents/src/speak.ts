import type { NodeContext } from '@millrace/agent-sdk';
import { setImmediate, setTimeout } from 'node:timers/promises';

const TOKENS_BETWEEN_TURNS = 64;

/** Emits the tokens, so many in a second when `perSecond` says so; stops at once when the node is stopped. */
export const speak = async (context: NodeContext, tokens: Iterable<string>, perSecond = 0): Promise<void> => {
  const startedAt = performance.now();
  let said = 0;
  for (const text of tokens) {
    // From the start, so that coarse timers do not add up.
    const waitMs = perSecond > 0 ? startedAt + (said * 1_000) / perSecond - performance.now() : 0;
    if (waitMs > 0) await setTimeout(waitMs, undefined, { signal: context.signal });
    // The appends need their turn, and so does whoever wants to stop us.
    else if (said % TOKENS_BETWEEN_TURNS === TOKENS_BETWEEN_TURNS - 1) await setImmediate();
    context.signal.throwIfAborted();
    context.emit({ kind: 'TokenDelta', text });
    said++;
  }
};
