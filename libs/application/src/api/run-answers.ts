import {
  RequestId,
  type RunDetail,
  RunId,
  type RunLogLine,
  type RunSaidMessage,
  type RunStep,
  type RunSummary,
  ThreadId,
  type TrailLine,
} from '@millrace/contracts';
import type { InputRequestRow, MessageRow, RunLogRow, RunRow, StepRow, TrailRow } from '@millrace/run-views';

/** Rows in the words of the HTTP contracts, wherever the rows come from: a database, or a history that was folded. */
export const summaryOf = (run: RunRow): RunSummary => ({
  id: RunId.parse(run.runId),
  status: run.status,
  progress: run.progress,
  createdAt: run.createdAt,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
  agent: run.agent,
  appId: run.appId,
  policy: run.policy,
  policyVersion: run.policyVersion,
  stepsCompleted: run.stepsCompleted,
  userId: run.userId,
  inputSummary: run.inputSummary,
  ...(run.threadId === null ? {} : { threadId: ThreadId.parse(run.threadId) }),
  ...(run.retryOf === null ? {} : { retryOf: RunId.parse(run.retryOf) }),
  ...given({ projectId: run.projectId, summary: run.summary }),
  ...(run.error === null ? {} : { error: { code: run.error.errorCode, reason: run.error.reason } }),
});

export const detailOf = (run: RunRow, requests: readonly InputRequestRow[]): RunDetail => ({
  ...summaryOf(run),
  goalAchieved: run.goalAchieved,
  ...(run.improvedBy === null ? {} : { improvedBy: RunId.parse(run.improvedBy) }),
  ...(run.improves === null ? {} : { improves: RunId.parse(run.improves) }),
  ...given({ agentVersion: run.agentVersion, retryOnFailure: run.retryOnFailure }),
  // What nobody answered before the end is answered by nobody.
  openInputs: run.finishedAt === null ? requests.filter(({ status }) => status === 'open').map(openInput) : [],
  ...(run.status === 'SUCCEEDED' ? { output: run.output } : {}),
  ...{ usage: run.usage, toolsUsed: [...run.toolsUsed], sources: [...run.sources] },
  ...(run.cancel === null ? {} : { cancel: given(run.cancel) }),
});

const openInput = ({ requestId, type, request, expiresAt }: InputRequestRow): RunDetail['openInputs'][number] => ({
  ...{ requestId: RequestId.parse(requestId), type, request },
  ...given({ expiresAt }),
});

export const stepOf = (step: StepRow): RunStep => ({
  ...{ key: step.taskKey, node: step.node, iteration: step.iteration, attempt: step.attempt, state: step.status },
  ...{ startedAt: step.startedAt, finishedAt: step.finishedAt },
  ...given({ durationMs: step.durationMs, retryAt: step.retryAt, output: step.output, error: step.error }),
});

export const messagesOf = (rows: readonly MessageRow[]): RunSaidMessage[] =>
  rows.flatMap(({ type, sequence, createdAt, from, role, content, isInternal, ...row }) => {
    if (isInternal || type === 'agent_transition') return [];
    const { agentId, node, attempt, round, thinking, model, usage } = row;
    const known = given({ agentId, node, attempt, round, thinking, model, usage });
    return [{ sequence, ts: createdAt, type, from, role, content, ...known }];
  });

export const logLinesOf = (rows: readonly RunLogRow[]): RunLogLine[] =>
  rows.flatMap(({ sequence, createdAt, level, message, source, node, payload }) =>
    sequence === null ? [] : [{ sequence, ts: createdAt, level, message, source, node, ...given({ payload }) }],
  );

export const trailOf = (rows: readonly TrailRow[]): TrailLine[] =>
  rows.flatMap(({ sequence, createdAt, kind, text, node, agentId }) =>
    sequence === null ? [] : [{ sequence, ts: createdAt, kind, text, ...given({ node, agentId }) }],
  );

/** A field without a value is `null` in a row and left out of an answer. */
const given = <T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
