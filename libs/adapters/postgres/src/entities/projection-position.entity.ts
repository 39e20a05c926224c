import { defineEntity, p } from '@mikro-orm/postgresql';

/** How far a projection has read the log. Written in the transaction that writes what was read. */
export const ProjectionPosition = defineEntity({
  name: 'ProjectionPosition',
  tableName: 'projection_position',
  properties: {
    name: p.text().primary(),
    streamSequence: p.bigint('number'),
    updatedAt: p.datetime().columnType('timestamptz'),
  },
});
