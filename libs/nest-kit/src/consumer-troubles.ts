import type { ConsumerOptions } from '@millrace/adapter-jetstream';
import { Logger } from '@nestjs/common';
import { OutageLog } from './outage-log.js';

/** One line for each message that was not done, and one when the server gives none. */
export function consumerTroubles(context: string): Pick<ConsumerOptions, 'onTrouble' | 'onIdle'> {
  const log = new Logger(context);
  const outages = new OutageLog(log);
  return {
    onTrouble: ({ subject, attempt }, outcome, cause) => {
      if (outcome.kind === 'park') log.error(`Parked ${subject} after attempt ${attempt}: ${outcome.reason}`);
      // A node that retries says so in the run's log; only what failed by itself is news here.
      else if (cause !== undefined) log.warn(`${subject}, attempt ${attempt}: ${messageOf(cause)}; trying again`);
    },
    onIdle: (cause) => outages.failed(cause),
  };
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : JSON.stringify(cause));
