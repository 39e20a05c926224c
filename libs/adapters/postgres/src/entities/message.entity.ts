import { defineEntity, p } from '@mikro-orm/postgresql';
import { MESSAGE_ROLES, MESSAGE_TYPES, type MessageRow } from '@millrace/run-views';
import { eventKey, json, tenantWall } from './columns.js';

export const MessageEntity = defineEntity({
  name: 'Message',
  tableName: 'messages',
  properties: {
    ...eventKey(),
    agentId: p.text().nullable(),
    node: p.text().nullable(),
    taskKey: p.text().nullable(),
    iteration: p.integer().nullable(),
    attempt: p.integer().nullable(),
    type: p.enum(MESSAGE_TYPES),
    from: p.text(),
    role: p.enum(MESSAGE_ROLES),
    content: json<unknown>().nullable(),
    thinking: p.text().nullable(),
    round: p.bigint('number').nullable(),
    model: p.text().nullable(),
    usage: json<MessageRow['usage']>().nullable(),
    isInternal: p.boolean(),
  },
  uniques: [{ properties: ['tenantId', 'runId', 'sequence'] }],
  ...tenantWall,
});
