import { defineEntity, p } from '@mikro-orm/postgresql';
import { eventStamp, tenantWall } from './columns.js';

export const DeadLetterEntity = defineEntity({
  name: 'DeadLetter',
  tableName: 'dead_letters',
  properties: {
    ...eventStamp(),
    agent: p.text(),
    agentVersion: p.text().nullable(),
    userId: p.text(),
    threadId: p.text().nullable(),
    inputSummary: p.text(),
    reason: p.text(),
    errorCode: p.text(),
  },
  uniques: [{ properties: ['tenantId', 'runId', 'sequence'] }],
  ...tenantWall,
});
