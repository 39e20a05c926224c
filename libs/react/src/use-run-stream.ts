import type { PublicEvent } from '@millrace/client';
import { useEffect, useSyncExternalStore } from 'react';
import { useFollowers } from './millrace-provider.js';
import { type FollowOptions, NOTHING_YET, type RunSnapshot } from './run-follower.js';

export interface RunStream extends RunSnapshot {
  /** Of the last event that is here; -1 before the first. */
  readonly highestSequenceSeen: number;
  readonly lastEvent: PublicEvent | undefined;
}

/**
 * A run's public events as they happen, each once and in order. The connection closes with the component, and when the
 * run or the client changes; components that look at the same run share one. No run, no connection.
 */
export function useRunStream(runId: string | undefined, options: FollowOptions = {}): RunStream {
  const followers = useFollowers();
  const follower = runId === undefined ? undefined : followers.of(runId, options);
  useEffect(() => follower?.watch(), [follower]);
  const snapshot = useSyncExternalStore(follower?.subscribe ?? toNothing, follower?.snapshot ?? nothing, nothing);
  const lastEvent = snapshot.events.at(-1);
  return { ...snapshot, lastEvent, highestSequenceSeen: lastEvent?.sequence ?? -1 };
}

const nothing = (): RunSnapshot => NOTHING_YET;
const toNothing = () => () => undefined;
