import { RUN_EVENT_KINDS } from '../kinds.js';
import { asyncApi } from './async-api.js';
import { jsonSchemaOf, threadCreatedJsonSchema, type JsonObject } from './json-schema.js';

/** Everything under proto/, by path. The same contracts give the same bytes, so a difference means stale. */
export const protoFiles = (): ReadonlyMap<string, string> =>
  new Map([
    ['asyncapi.json', text(asyncApi())],
    ['events/ThreadCreated.schema.json', text(threadCreatedJsonSchema())],
    ...RUN_EVENT_KINDS.map((kind) => [`events/${kind}.schema.json`, text(jsonSchemaOf(kind))] as const),
  ]);

const text = (document: JsonObject): string => `${JSON.stringify(document, null, 2)}\n`;
