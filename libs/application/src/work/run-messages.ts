import type { RunMessage } from '@millrace/agent-sdk';
import type { RunEvent } from '@millrace/contracts';

/**
 * What was said in a run, oldest first: what a retry should do better, the request, what nodes said as messages, and
 * the output of a node that said none. The same events that tell people the story are what the next node sees.
 */
export const messagesIn = (events: readonly RunEvent[]): RunMessage[] => [...improvementIn(events), ...saidIn(events)];

/** Before the request: it is about all of the run, and the answer is still to the person. */
const improvementIn = (events: readonly RunEvent[]): RunMessage[] =>
  events.flatMap((event) =>
    event.kind === 'ImprovementProvided' && event.improvement !== undefined
      ? [{ from: 'improvement', role: 'system', content: event.improvement, round: 0 }]
      : [],
  );

const saidIn = (events: readonly RunEvent[]): RunMessage[] => {
  const spoke = new Set<string>();
  return events.flatMap((event): RunMessage[] => {
    if (event.kind === 'RunRequested') return [{ from: 'user', role: 'user', content: event.input, round: 0 }];
    if (event.kind === 'InputProvided') return [{ from: event.by, role: 'user', content: event.response, round: 0 }];
    if (event.kind === 'MessageAdded') {
      spoke.add(event.taskKey);
      return [{ from: event.from, role: event.role, content: event.content, round: event.round }];
    }
    if (event.kind !== 'NodeFinished' || event.result !== 'SUCCESS' || event.output === undefined) return [];
    if (spoke.has(event.taskKey)) return [];
    return [{ from: event.node, role: 'node', content: event.output, round: event.iteration }];
  });
};
