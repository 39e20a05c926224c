import { defineEntity, p } from '@mikro-orm/postgresql';
import { inProject, moment, tenantWall } from './columns.js';

export const ThreadEntity = defineEntity({
  name: 'Thread',
  tableName: 'threads',
  properties: {
    tenantId: p.text().primary(),
    threadId: p.text().primary(),
    ...inProject(),
    agent: p.text().nullable(),
    title: p.text().nullable(),
    createdBy: p.text(),
    createdAt: moment(),
  },
  ...tenantWall,
});
