import { PlatformError } from '@millrace/kernel';
import { metrics } from '@opentelemetry/api';

/** `millrace.set_aside`, by loop and by the code of the reason. */
export const countSetAside = (loop: string, error: unknown): void =>
  count('millrace.set_aside', 'What a loop could not handle and goes on without', { loop, reason: codeOf(error) });

/** `millrace.runs_woken`, by status. There should be none: something has lost the message that would have moved the run. */
export const countWoken = (status: string): void =>
  count('millrace.runs_woken', 'Runs that stood still without a message in the queue', { status });

/** Few: a code of ours, or the class of an error we do not know. */
export const codeOf = (error: unknown): string => {
  if (error instanceof PlatformError) return error.code;
  return error instanceof Error ? error.name : 'PARKED';
};

const count = (name: string, description: string, attributes: Record<string, string>): void =>
  metrics.getMeter('millrace').createCounter(name, { description }).add(1, attributes);
