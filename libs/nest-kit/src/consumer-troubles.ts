import type { ConsumerOptions } from '@millrace/adapter-jetstream';
import { runOfSubject } from '@millrace/contracts';
import type { ConsumerName } from '@millrace/ports';
import { Logger } from '@nestjs/common';
import { OutageLog } from './outage-log.js';
import { SetAsideLog } from './set-aside-log.js';

/** One line for each message that was not done, and one when the server gives none. A parked one is counted. */
export function consumerTroubles(context: string, loop: ConsumerName): Pick<ConsumerOptions, 'onTrouble' | 'onIdle'> {
  const log = new Logger(context);
  const outages = new OutageLog(log);
  const setAsides = new SetAsideLog(log);
  return {
    onTrouble: ({ subject, place, attempt: attempts }, outcome, cause) => {
      if (outcome.kind === 'park') {
        const error = cause ?? outcome.reason;
        setAsides.setAside({ loop, run: runOfSubject(subject), subject, place, attempts, error });
      }
      // A node that retries says so in the run's log; only what failed by itself is news here.
      else if (cause !== undefined) log.warn(`${subject}, attempt ${attempts}: ${messageOf(cause)}; trying again`);
    },
    onIdle: (cause) => outages.failed(cause),
  };
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : JSON.stringify(cause));
