import type { RunEventOf, RunFactOf } from '@millrace/contracts';
import type { FailRun, FinishRun } from '@millrace/run-domain';

type GraphEnded = RunEventOf<'GraphEnded'>;

/** The terminal event a graph's end leads to, when nothing has happened to the run since. */
export const factAfter = (event: GraphEnded): RunFactOf<'RunFinished' | 'RunFailed'> =>
  event.result === 'FAILED' ? { kind: 'RunFailed', ...failureIn(event) } : { kind: 'RunFinished', ...successIn(event) };

export const commandAfter = (event: GraphEnded): FinishRun | FailRun => {
  const ref = { tenantId: event.tenantId, runId: event.runId };
  return event.result === 'FAILED'
    ? { kind: 'FailRun', ...ref, ...failureIn(event) }
    : { kind: 'FinishRun', ...ref, ...successIn(event) };
};

const failureIn = ({ error, summary }: GraphEnded) => error ?? { reason: summary, errorCode: 'INTERNAL_ERROR' };

const successIn = ({ summary, stepsCompleted, output, sources, usage, toolsUsed }: GraphEnded) => ({
  summary,
  stepsCompleted,
  output,
  sources,
  usage,
  toolsUsed,
});
