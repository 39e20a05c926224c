import { StreamSilent } from '../errors.js';
import { SseParser, type SseFrame } from './sse-parser.js';

export interface SseReading {
  /** The server says something, if only a comment, more often than this; else the connection is taken for dead. */
  readonly silenceMs: number;
  readonly onRetry?: (retryMs: number) => void;
}

/** The frames of one response, until the server closes it. Leaving the loop closes it from this side. */
export async function* readSse(body: ReadableStream<Uint8Array>, reading: SseReading): AsyncGenerator<SseFrame> {
  const parser = new SseParser();
  const reader = body.getReader();
  try {
    for (;;) {
      // Only reading is watched: a consumer may take its time with a frame.
      const { done, value } = await inTime(reader.read(), reading.silenceMs);
      if (done) return;
      const frames = parser.push(value);
      if (parser.retryMs !== undefined) reading.onRetry?.(parser.retryMs);
      yield* frames;
    }
  } finally {
    // Of a body that broke, cancel() only repeats what read() has told already.
    await reader.cancel().catch(() => undefined);
  }
}

async function inTime<T>(read: Promise<T>, withinMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StreamSilent(withinMs)), withinMs);
  });
  try {
    return await Promise.race([read, silent]);
  } finally {
    clearTimeout(timer);
  }
}
