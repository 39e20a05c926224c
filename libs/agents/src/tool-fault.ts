import { NodeSuspension, type NodeContext } from '@millrace/agent-sdk';
import { PlatformError } from '@millrace/kernel';

/**
 * Whether a tool that threw has said something its caller may go on with. Not so for a wait, for an attempt that is
 * stopped, and for what passes by itself: those must leave the body.
 */
export const isToolFault = (error: unknown, { signal }: NodeContext): boolean =>
  !(error instanceof NodeSuspension) && !signal.aborted && !passesByItself(error);

export const faultOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const passesByItself = (error: unknown): boolean => error instanceof PlatformError && error.redelivery === 'retry';
