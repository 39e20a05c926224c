import type { PublicEvent } from '@millrace/client';
import type { RunDetail } from '@millrace/contracts';
import { useEffect, useMemo, useRef } from 'react';
import { useFold } from './incremental-fold.js';
import { useMillrace } from './millrace-provider.js';
import { useLoaded } from './use-loaded.js';
import { useRunStream } from './use-run-stream.js';

export interface RunState {
  readonly run: RunDetail | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  readonly refresh: () => void;
}

/** The run as it stands, read again whenever something happens that changes it. */
export function useRun(runId: string | undefined): RunState {
  const client = useMillrace();
  const load = useMemo(
    () => (runId === undefined ? undefined : (signal: AbortSignal) => client.runs.get(runId, { signal })),
    [client, runId],
  );
  const { value: run, error, isLoading, refresh } = useLoaded(load);
  const { events } = useRunStream(runId);
  const changedAt = useFold(events, -1, lastChange);
  const readAt = useRef(0);
  useEffect(() => {
    if (changedAt < 0) return undefined;
    const read = () => {
      readAt.current = performance.now();
      refresh();
    };
    const reading = setTimeout(read, Math.max(0, readAt.current + READ_EVERY_MS - performance.now()));
    return () => clearTimeout(reading);
  }, [changedAt, refresh]);
  return { run, error, isLoading, refresh };
}

/** A busy run changes more often than anybody can read. */
const READ_EVERY_MS = 250;

/** What is said while a node works does not change how the run stands. */
const lastChange = (changedAt: number, { kind, sequence }: PublicEvent): number =>
  CHANGES.test(kind) ? sequence : changedAt;
const CHANGES = /^(Run|Policy|Input)|^Node(Started|Finished|RetryScheduled)$/;
