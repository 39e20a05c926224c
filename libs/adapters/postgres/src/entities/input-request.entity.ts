import { defineEntity, p } from '@mikro-orm/postgresql';
import { INPUT_RESPONSES, type InputRequestType } from '@millrace/contracts';
import { INPUT_REQUEST_STATUSES, type InputRequestRow } from '@millrace/run-views';
import { eventStamp, json, moment, speaker, tenantWall } from './columns.js';

const TYPES = Object.keys(INPUT_RESPONSES) as InputRequestType[];

export const InputRequestEntity = defineEntity({
  name: 'InputRequest',
  tableName: 'input_requests',
  properties: {
    ...eventStamp(),
    ...speaker(),
    requestId: p.text().primary(),
    type: p.enum(TYPES),
    request: json<InputRequestRow['request']>(),
    status: p.enum(INPUT_REQUEST_STATUSES),
    expiresAt: moment().nullable(),
    response: json<unknown>().nullable(),
    answeredBy: p.text().nullable(),
    closedAt: moment().nullable(),
  },
  uniques: [{ properties: ['tenantId', 'runId', 'sequence'] }],
  ...tenantWall,
});
