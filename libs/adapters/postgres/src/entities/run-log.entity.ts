import { defineEntity, p } from '@mikro-orm/postgresql';
import { LOG_LEVELS } from '@millrace/run-views';
import { eventKey, json, speaker, tenantWall } from './columns.js';

export const RunLogEntity = defineEntity({
  name: 'RunLog',
  tableName: 'run_logs',
  properties: {
    ...eventKey(),
    ...speaker(),
    level: p.enum(LOG_LEVELS),
    message: p.text(),
    payload: json<unknown>().nullable(),
    source: p.text(),
  },
  uniques: [{ properties: ['tenantId', 'runId', 'sequence'] }],
  ...tenantWall,
});
