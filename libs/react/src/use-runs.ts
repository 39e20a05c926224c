import type { RunsRequest, RunSummary } from '@millrace/contracts';
import { useCallback, useMemo, useState } from 'react';
import { useMillrace } from './millrace-provider.js';
import { useLoaded } from './use-loaded.js';

export interface RunList {
  readonly runs: readonly RunSummary[];
  /** There are more than these. */
  readonly hasMore: boolean;
  readonly loadMore: () => void;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  readonly refresh: () => void;
}

interface Pages {
  readonly runs: readonly RunSummary[];
  readonly hasMore: boolean;
}

/** Runs of the tenant, the newest first, as many pages as were asked for. */
export function useRuns(which: Omit<RunsRequest, 'cursor'> = {}): RunList {
  const client = useMillrace();
  const key = JSON.stringify(which);
  const [wanted, setWanted] = useState({ key, pages: 1 });
  const pages = wanted.key === key ? wanted.pages : 1;
  const load = useMemo(
    () =>
      async (signal: AbortSignal): Promise<Pages> => {
        const filter = JSON.parse(key) as RunsRequest;
        const runs: RunSummary[] = [];
        let cursor: string | undefined;
        for (let page = 0; page < pages; page += 1) {
          const got = await client.runs.list({ ...filter, cursor }, { signal });
          runs.push(...got.runs);
          cursor = got.nextCursor;
          if (cursor === undefined) break;
        }
        return { runs, hasMore: cursor !== undefined };
      },
    [client, key, pages],
  );
  const filtered = useMemo(() => ({ client, key }), [client, key]); // more pages of the same list are no other list
  const { value, error, isLoading, refresh } = useLoaded(load, filtered);
  const loadMore = useCallback(() => setWanted({ key, pages: pages + 1 }), [key, pages]);
  return { runs: value?.runs ?? NONE, hasMore: value?.hasMore ?? false, loadMore, error, isLoading, refresh };
}

const NONE: readonly RunSummary[] = [];
