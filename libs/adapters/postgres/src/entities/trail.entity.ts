import { defineEntity, p } from '@mikro-orm/postgresql';
import { RUN_EVENT_KINDS } from '@millrace/contracts';
import { eventKey, tenantWall } from './columns.js';

export const TrailEntity = defineEntity({
  name: 'Trail',
  tableName: 'trail',
  properties: {
    ...eventKey(),
    kind: p.enum(RUN_EVENT_KINDS),
    node: p.text().nullable(),
    agentId: p.text().nullable(),
    text: p.text(),
  },
  uniques: [{ properties: ['tenantId', 'runId', 'sequence'] }],
  ...tenantWall,
});
