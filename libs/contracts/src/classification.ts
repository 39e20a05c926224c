import { KINDS, TRANSIENT_SIGNALS, type Persistence, type TransientSignal, type Visibility } from './kinds.js';
import type { RunEventKind } from './events/run-event.js';

/**
 * Tools that move control between agents are plumbing: stored for audit, never shown. A new one is registered here,
 * and server and client follow, because both ask {@link classify}.
 */
export const INTERNAL_TOOL_PREFIXES = ['transfer_to_', 'transfer_back_to_', 'handoff_', 'handoff_to_'] as const;

export interface Classification {
  readonly visibility: Visibility;
  readonly persistence: Persistence;
}

export interface Classifiable {
  readonly kind: RunEventKind | TransientSignal;
  readonly tool?: string;
}

export const classify = (event: Classifiable): Classification => {
  if (isTransient(event.kind)) return { visibility: 'public', persistence: 'transient' };
  const { visibility, persistence } = KINDS[event.kind];
  if (event.tool !== undefined && isInternalTool(event.tool)) return { visibility: 'internal', persistence };
  return { visibility, persistence };
};

export const isPublic = (event: Classifiable): boolean => classify(event).visibility === 'public';

export const isInternalTool = (tool: string): boolean =>
  INTERNAL_TOOL_PREFIXES.some((prefix) => tool.startsWith(prefix));

const isTransient = (kind: string): kind is TransientSignal => (TRANSIENT_SIGNALS as readonly string[]).includes(kind);
