import { useCallback, useEffect, useRef, useState } from 'react';

export interface Loaded<T> {
  /** What came last; stays while it is loaded again. */
  readonly value: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  /** Asks again, and gives up what is under way. */
  readonly refresh: () => void;
}

interface Held<T> {
  readonly of: unknown;
  readonly value?: T | undefined;
  readonly error?: Error | undefined;
  readonly isLoading: boolean;
}

/**
 * What `load` brings, and again with another `load`. An answer that is overtaken is thrown away. What was loaded before
 * stays meanwhile, unless it is `of` something else.
 */
export function useLoaded<T>(load: ((signal: AbortSignal) => Promise<T>) | undefined, of: unknown = load): Loaded<T> {
  const [held, setHeld] = useState<Held<T>>({ of, isLoading: load !== undefined });
  const underWay = useRef<AbortController>(undefined);

  const refresh = useCallback(() => {
    underWay.current?.abort();
    if (!load) return;
    const asking = new AbortController();
    underWay.current = asking;
    const settle = (change: Partial<Held<T>>) => {
      if (!asking.signal.aborted) setHeld((before) => ({ ...keptOf(before, of), ...change, isLoading: false }));
    };
    setHeld((before) => ({ ...keptOf(before, of), isLoading: true }));
    load(asking.signal).then(
      (value) => settle({ value, error: undefined }),
      (error: unknown) => settle({ error: error as Error }),
    );
  }, [load, of]);

  useEffect(() => {
    refresh();
    return () => underWay.current?.abort();
  }, [refresh]);

  const { value, error, isLoading } = held.of === of ? held : { isLoading: load !== undefined };
  return { value, error, isLoading, refresh };
}

/** What was loaded for somebody else is not shown for this one. */
const keptOf = <T>(before: Held<T>, of: unknown): Held<T> => (before.of === of ? before : { of, isLoading: false });
