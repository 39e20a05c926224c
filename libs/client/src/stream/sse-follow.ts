import type { StreamClosing } from '@millrace/contracts';
import { CLOSING_EVENT } from '@millrace/contracts/browser';
import { ConnectionFailed, MillraceError, StreamBroken, StreamSilent } from '../errors.js';
import { mayPass, type Query, type Transport } from '../http/transport.js';
import type { SseFrame } from '../sse/sse-parser.js';
import { readSse } from '../sse/sse-reader.js';

export type ConnectionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'open' }
  /** The connection was lost and will be tried again. */
  | { readonly state: 'waiting'; readonly because: Error }
  | { readonly state: 'ended' };

export interface FollowOptions {
  /** Ends the iteration, quietly: whoever aborts knows. */
  readonly signal?: AbortSignal | undefined;
  readonly onConnection?: ((state: ConnectionState) => void) | undefined;
  /** Servers send a heartbeat at least this often; a connection that is silent for longer is taken for dead. */
  readonly silenceMs?: number | undefined;
}

export interface Followed<T> {
  readonly path: string;
  /** Asked before each connection, so that it begins where the last one got to. */
  readonly query: () => Query;
  /** What a frame stands for. What it throws costs the connection, and another one may cure it. */
  readonly read: (frame: SseFrame) => AsyncIterable<T> | Iterable<T>;
  /** How far the reader has got. */
  readonly progress: () => number;
  /** Nothing follows what was read last. */
  readonly isOver: () => boolean;
}

const USUAL_SILENCE_MS = 60_000;
/** A connection that held this long was a good one, also when nothing happened. */
const GOOD_AFTER_MS = 30_000;
/** A stream that is broken this often in a row at the same place will stay so. */
const MOST_BROKEN = 5;

/**
 * What a stream says, over as many connections as it takes. Ends when the reader is satisfied, when the server has
 * nothing more (204), or when the signal is aborted.
 */
export async function* followSse<T>(
  transport: Transport,
  followed: Followed<T>,
  options: FollowOptions,
): AsyncGenerator<T> {
  const { signal, onConnection, silenceMs = USUAL_SILENCE_MS } = options;
  let leastMs = 0; // the server's `retry:`
  let lost = 0;
  let broken = 0;
  try {
    while (!signal?.aborted) {
      const reached = followed.progress();
      const since = performance.now();
      let because: Error;
      try {
        onConnection?.({ state: 'connecting' });
        const response = await transport.open({
          method: 'GET',
          path: followed.path,
          query: followed.query(),
          headers: { accept: 'text/event-stream' },
          signal,
        });
        if (response.status === 204 || !response.body) return;
        onConnection?.({ state: 'open' });
        const onRetry = (retryMs: number) => (leastMs = retryMs);
        for await (const frame of readSse(response.body, { silenceMs, onRetry })) {
          if (frame.event === CLOSING_EVENT) throw closedBecause(frame.data);
          yield* followed.read(frame);
          if (followed.isOver()) return;
        }
        because = new ConnectionFailed('The server closed the stream, and the run has not ended');
      } catch (error) {
        if (signal?.aborted) return;
        because = lossOf(error);
      }
      const isFruitless = followed.progress() === reached;
      if (!isFruitless || performance.now() - since > GOOD_AFTER_MS) lost = 0;
      broken = isFruitless && because instanceof StreamBroken ? broken + 1 : 0;
      if (broken >= MOST_BROKEN) throw because;
      onConnection?.({ state: 'waiting', because });
      await transport.wait(lost++, because, signal, leastMs).catch(unlessAborted(signal));
    }
  } finally {
    onConnection?.({ state: 'ended' });
  }
}

/** The gateway says why it is about to end a stream: it drains, the token has expired, the reader is too slow. */
class StreamClosed extends MillraceError {
  constructor(readonly code: StreamClosing['code']) {
    super(`The server ended the stream: ${code}`);
  }
}

const closedBecause = (data: string): Error => {
  const { code } = JSON.parse(data) as StreamClosing;
  // One that is there again on the next connection, however often we come.
  if (code === 'EVENT_INVALID') return new StreamBroken('The server cannot read an event of this run');
  return new StreamClosed(code);
};

/** What another connection may cure; everything else is thrown. */
const lossOf = (error: unknown): Error => {
  if (error instanceof StreamSilent || error instanceof StreamBroken || error instanceof StreamClosed) return error;
  if (mayPass(error)) return error as Error;
  if (error instanceof MillraceError) throw error;
  return new ConnectionFailed('The stream broke off', { cause: error }); // what a body's reader throws is the platform's
};

const unlessAborted = (signal?: AbortSignal) => (error: unknown) => {
  if (!signal?.aborted) throw error;
};
