import { defineEntity, p } from '@mikro-orm/postgresql';
import { TOOL_CALL_STATUSES } from '@millrace/run-views';
import { eventStamp, json, moment, speaker, tenantWall } from './columns.js';

export const ToolCallEntity = defineEntity({
  name: 'ToolCall',
  tableName: 'tool_calls',
  properties: {
    ...eventStamp(),
    ...speaker(),
    toolUseId: p.text().primary(),
    tool: p.text(),
    input: json<unknown>().nullable(),
    needsApproval: p.boolean(),
    isInternal: p.boolean(),
    status: p.enum(TOOL_CALL_STATUSES),
    progress: p.text().nullable(),
    output: json<unknown>().nullable(),
    error: p.text().nullable(),
    finishedAt: moment().nullable(),
    finishedSequence: p.integer().nullable(),
  },
  uniques: [{ properties: ['tenantId', 'runId', 'sequence'] }],
  ...tenantWall,
});
