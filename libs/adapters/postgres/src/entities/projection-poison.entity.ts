import { defineEntity, p } from '@mikro-orm/postgresql';
import { moment, projectorOnly } from './columns.js';

/** What a projection could not apply and went on behind. Its tenant is unknown when it is no event at all. */
export const ProjectionPoison = defineEntity({
  name: 'ProjectionPoison',
  tableName: 'projection_poison',
  properties: {
    projection: p.text().primary(),
    streamSequence: p.bigint('number').primary(),
    tenantId: p.text().nullable(),
    runId: p.text().nullable(),
    what: p.text(),
    reason: p.text(),
    storedAt: moment(),
  },
  ...projectorOnly,
});
