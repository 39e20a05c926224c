import type { RunEvent, RunImprovement } from '@millrace/contracts';
import { bounded, moment, readable } from './storable.js';
import { trailText } from './trail.js';

const LONGEST = { summary: 4_000, input: 600, line: 160, message: 400, code: 100 };
const MOST = { lines: 24, errors: 10 };

export type ImprovementHints = Pick<RunImprovement, 'summary' | 'recentErrors'>;

/**
 * What somebody who is to do better has to know: what was asked, the last lines of the trail, the last errors. Bounded
 * in characters whatever the run's size, since it is read by a model. What does not fit is left out between what was
 * asked and what happened last: how the run ended is what there is to learn from.
 */
export const improvementHints = (events: readonly RunEvent[]): ImprovementHints => ({
  summary: summaryOf(events),
  recentErrors: lastOf(events, MOST.errors, errorIn),
});

const summaryOf = (events: readonly RunEvent[]): string => {
  const asked = events.flatMap(askedIn);
  const trail = lastOf(events, MOST.lines + 1, trailText).map((line) => bounded(line, LONGEST.line));
  const lines = lastFitting(trail, LONGEST.summary - lengthOf([...asked, CUT]));
  return [...asked, ...(lines.length < trail.length ? [CUT] : []), ...lines].join('\n');
};

const CUT = '…';

const lastFitting = (trail: readonly string[], longest: number): readonly string[] => {
  let lines = trail.slice(-MOST.lines);
  while (lines.length > 1 && lengthOf(lines) > longest) lines = lines.slice(1);
  return lines;
};

/** With what ends each line. */
const lengthOf = (lines: readonly string[]): number => lines.reduce((length, line) => length + line.length + 1, 0);

/** What the last events that say something say: from the end, so that a long run costs no more than a short one. */
const lastOf = <T>(events: readonly RunEvent[], most: number, saidIn: (event: RunEvent) => T | undefined): T[] => {
  const said: T[] = [];
  for (let at = events.length - 1; at >= 0 && said.length < most; at -= 1) {
    const one = saidIn(events[at]!);
    if (one !== undefined) said.push(one);
  }
  return said.reverse();
};

const askedIn = (event: RunEvent): string[] => {
  if (event.kind === 'RunRequested') return [`Asked ${event.agent}: ${oneLine(readable(event.input), LONGEST.input)}`];
  if (event.kind !== 'ImprovementProvided' || event.improvement === undefined) return [];
  return [`Advice it had: ${oneLine(event.improvement, LONGEST.input)}`];
};

type RecentError = RunImprovement['recentErrors'][number];

const errorIn = (event: RunEvent): RecentError | undefined => {
  if (event.kind === 'RunFailed') return errorOf(event, event.reason, event.errorCode);
  if (event.kind === 'NodeFinished' || event.kind === 'NodeRetryScheduled') {
    return event.error && errorOf(event, event.error.message, event.error.code);
  }
  if (event.kind === 'ToolFinished')
    return event.ok ? undefined : errorOf(event, `${event.tool}: ${event.error ?? 'failed'}`);
  if (event.kind === 'SubagentFailed') return errorOf(event, `${event.subagentId}: ${event.error}`);
  return event.kind === 'LogWritten' && event.level === 'error' ? errorOf(event, event.message) : undefined;
};

const errorOf = (event: RunEvent, message: string, code?: string): RecentError => ({
  ts: moment(event.ts),
  message: oneLine(message, LONGEST.message),
  ...('node' in event ? { node: event.node } : {}),
  ...(code === undefined ? {} : { code: bounded(code, LONGEST.code) }),
});

const oneLine = (text: string, longest: number): string =>
  bounded(
    bounded(text, 4 * longest)
      .toWellFormed()
      .replaceAll(/\s+/g, ' ')
      .trim(),
    longest,
  );
