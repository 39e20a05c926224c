import { defineEntity, p } from '@mikro-orm/postgresql';
import { STEP_STATUSES, type StepRow } from '@millrace/run-views';
import { inProject, json, moment, runKey, tenantWall } from './columns.js';

export const StepEntity = defineEntity({
  name: 'Step',
  tableName: 'steps',
  properties: {
    ...runKey(),
    ...inProject(),
    taskKey: p.text().primary(),
    node: p.text(),
    iteration: p.integer(),
    status: p.enum(STEP_STATUSES),
    attempt: p.integer(),
    standsFrom: p.integer(),
    agentId: p.text().nullable(),
    startedAt: moment().nullable(),
    finishedAt: moment().nullable(),
    durationMs: p.double().nullable(),
    retryAt: moment().nullable(),
    error: json<StepRow['error']>().nullable(),
    output: json<unknown>().nullable(),
    position: p.integer(),
    place: p.integer(),
  },
  ...tenantWall,
});
