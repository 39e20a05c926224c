import { defineEntity, p } from '@mikro-orm/postgresql';
import { eventKey, tenantWall } from './columns.js';

export const CheckpointEntity = defineEntity({
  name: 'Checkpoint',
  tableName: 'checkpoints',
  properties: { ...eventKey(), iteration: p.integer(), node: p.text(), resumeToken: p.text() },
  uniques: [{ properties: ['tenantId', 'runId', 'sequence'] }],
  ...tenantWall,
});
