import { defineEntity, p } from '@mikro-orm/postgresql';
import { RunStatus } from '@millrace/contracts';
import type { RunRow } from '@millrace/run-views';
import { inProject, json, moment, runKey, tenantWall } from './columns.js';

export const RunEntity = defineEntity({
  name: 'Run',
  tableName: 'runs',
  properties: {
    ...runKey(),
    ...inProject(),
    status: p.enum(RunStatus.options),
    agent: p.text(),
    agentVersion: p.text().nullable(),
    appId: p.text(),
    policy: p.text(),
    policyVersion: p.integer(),
    userId: p.text(),
    threadId: p.text().nullable(),
    retryOf: p.text().nullable(),
    improvedBy: p.text().nullable(),
    improves: p.text().nullable(),
    retryOnFailure: json<RunRow['retryOnFailure']>().nullable(),
    inputSummary: p.text(),
    output: json<unknown>().nullable(),
    summary: p.text().nullable(),
    sources: json<RunRow['sources']>(),
    error: json<RunRow['error']>().nullable(),
    cancel: json<RunRow['cancel']>().nullable(),
    stepsCompleted: p.integer(),
    progress: p.double(),
    usage: json<RunRow['usage']>(),
    toolsUsed: json<RunRow['toolsUsed']>(),
    goalAchieved: p.boolean(),
    createdAt: moment(),
    startedAt: moment().nullable(),
    finishedAt: moment().nullable(),
    lastPosition: p.integer(),
    lastSequence: p.integer().nullable(),
  },
  indexes: [
    { properties: ['tenantId', 'status'] },
    { properties: ['userId', 'status'] },
    { properties: ['tenantId', 'threadId'] },
    { properties: ['tenantId', 'createdAt', 'runId'] },
  ],
  ...tenantWall,
});
