import type { RunFact } from '@millrace/contracts';
import { fingerprint } from './fingerprint.js';
import { requireKnown, requireNotCanceling, requireSpeaker } from './guards.js';
import { contentOf, type ExpireInput, type ProvideInput, type RequestInput } from './run.commands.js';
import { hasEnded, inputOf, workOf } from './run.queries.js';
import { RunRefused } from './run-refused.js';
import type { Run } from './run.state.js';

/**
 * A node that runs again asks again. The same question is the same request, whatever its new deadline: the first one
 * stands.
 */
export const requestInput = (command: RequestInput, run: Run): RunFact[] => {
  requireSpeaker(command, command, run);
  const before = inputOf(run, command.requestId);
  if (before) {
    const isSame = before.taskKey === command.taskKey && before.requestPrint === fingerprint(command.request);
    if (!isSame) throw new RunRefused('INPUT_EXISTS', command, thingOf(command));
    return [];
  }
  requireNotCanceling(command, run);
  return [{ kind: 'InputRequested', ...contentOf(command) }];
};

/**
 * Also while the run is paused: a person's answer is taken when it is given. What has become of the request is said
 * before what has become of the run: only one that was still open is refused because the run has ended.
 */
export const provideInput = (command: ProvideInput, run: Run): RunFact[] => {
  const known = requireKnown(command, run);
  const work = workOf(known);
  if (work?.openInputs.has(command.requestId)) {
    if (hasEnded(known)) throw new RunRefused('RUN_ENDED', command);
    return [{ kind: 'InputProvided', ...contentOf(command) }];
  }
  switch (work?.closedInputs.get(command.requestId)?.outcome) {
    case 'ANSWERED':
      throw new RunRefused('INPUT_ALREADY_ANSWERED', command, thingOf(command));
    case 'EXPIRED':
      throw new RunRefused('INPUT_EXPIRED', command, thingOf(command));
    case undefined:
      throw new RunRefused('INPUT_NOT_FOUND', command, thingOf(command));
  }
};

/** A timer rings whatever happened meanwhile: only an open request can expire, and nobody is told otherwise. */
export const expireInput = (command: ExpireInput, run: Run): RunFact[] => {
  if (hasEnded(requireKnown(command, run)) || !workOf(run)?.openInputs.has(command.requestId)) return [];
  return [{ kind: 'InputExpired', requestId: command.requestId }];
};

const thingOf = ({ requestId }: RequestInput | ProvideInput): string => `request ${requestId}`;
