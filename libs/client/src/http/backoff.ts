export interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
}

/**
 * Doubles with each attempt and takes a random part of the upper half: many clients of a server that comes back do
 * not come back together, and none comes back at once.
 */
export const waitBefore = (attempt: number, { firstMs, mostMs }: Backoff, random: () => number): number => {
  const ceiling = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (0.5 + random() / 2));
};

/** Rejects with the signal's reason as soon as it is aborted. */
export const delay = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
