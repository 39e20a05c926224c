import type { MillraceClient } from '@millrace/client';
import { createContext, createElement, type ReactNode, use, useMemo } from 'react';
import { RunFollowers } from './run-followers.js';

const Followers = createContext<RunFollowers | undefined>(undefined);

export interface MillraceProviderProps {
  /** Make one for each session: with another client everything is read anew, as somebody else. */
  readonly client: MillraceClient;
  readonly children?: ReactNode;
}

export function MillraceProvider({ client, children }: MillraceProviderProps): ReactNode {
  const followers = useMemo(() => new RunFollowers(client), [client]);
  return createElement(Followers, { value: followers }, children);
}

export function useFollowers(): RunFollowers {
  const followers = use(Followers);
  if (!followers) throw new Error('There is no MillraceProvider around this component');
  return followers;
}

export const useMillrace = (): MillraceClient => useFollowers().client;
