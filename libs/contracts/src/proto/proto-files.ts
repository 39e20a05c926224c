import { RUN_EVENT_KINDS } from '../kinds.js';
import { asyncApi } from './async-api.js';
import {
  agentEventJsonSchema,
  jsonSchemaOf,
  threadCreatedJsonSchema,
  threadFramesJsonSchema,
  type JsonObject,
} from './json-schema.js';
import { openApi } from './open-api.js';

/** Everything under proto/, by path. The same contracts give the same bytes, so a difference means stale. */
export const protoFiles = (): ReadonlyMap<string, string> =>
  new Map([
    ['asyncapi.json', text(asyncApi())],
    ['openapi.json', text(openApi())],
    ['events/ThreadCreated.schema.json', text(threadCreatedJsonSchema())],
    ['streams/AgentEvent.schema.json', text(agentEventJsonSchema())],
    ['streams/ThreadFrames.schema.json', text(threadFramesJsonSchema())],
    ...RUN_EVENT_KINDS.map((kind) => [`events/${kind}.schema.json`, text(jsonSchemaOf(kind))] as const),
  ]);

const text = (document: JsonObject): string => `${JSON.stringify(document, null, 2)}\n`;
