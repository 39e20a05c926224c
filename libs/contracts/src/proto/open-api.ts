import { z } from 'zod';
import { EXAMPLES } from '../http/examples.js';
import { OPERATIONS, type Operation, scopeOf } from '../http/operations.js';
import { IdempotencyKey } from '../http/requests.http.js';
import { type JsonObject, plainSchemaOf } from './json-schema.js';
import { problemResponses, problemsOf } from './open-api-problems.js';
import { referenceTo, sharedSchemas } from './open-api-schemas.js';
import { streamPaths } from './open-api-streams.js';

export interface Whereabouts {
  /** Where stream-gateway is found, when that is not where the rest is. */
  readonly streamUrl?: string | undefined;
}

/** The document clients are made from, out of the very schemas requests are parsed with. */
export const openApi = ({ streamUrl }: Whereabouts = {}): JsonObject => {
  const paths: Record<string, JsonObject> = {};
  for (const operation of OPERATIONS) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version: '1',
      description: 'Durable runs of agents, in three dialects over one log. Match on the `code` of a problem.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: [
      { name: 'native', description: 'Runs, as they are.' },
      { name: 'agent', description: 'One agent that works, asks and is answered.' },
      { name: 'thread', description: 'Conversations: each message is a run.' },
    ],
    security: [{ bearer: [] }],
    paths: { ...paths, ...streamPaths(streamUrl) },
    components: {
      securitySchemes: {
        bearer: {
          ...{ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          description: 'With `sub`, `tenant_id`, `exp` and `scope` (`runs:read`, `runs:write`).',
        },
        ticket: { type: 'apiKey', in: 'query', name: 'ticket', description: 'From `POST …/stream-ticket`; good once.' },
      },
      parameters: { IdempotencyKey: KEY },
      responses: problemResponses(),
      schemas: sharedSchemas(),
    },
  };
};

const KEY = {
  ...{ name: 'Idempotency-Key', in: 'header', required: false },
  description: 'Chosen by the client for one creation: the same key and body give the same answer, however often.',
  schema: { ...z.toJSONSchema(IdempotencyKey), $schema: undefined, examples: ['order-7'] },
};

const describe = (operation: Operation): JsonObject => {
  const { id, summary, tag, params, query, body, answer, creates } = operation;
  const example = EXAMPLES[id];
  return {
    operationId: id,
    summary,
    description: `Needs the scope \`${scopeOf(operation)}\`.`,
    tags: [tag],
    parameters: [
      ...parameters('path', params),
      ...parameters('query', query),
      ...(creates === 'by key' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(body
      ? { requestBody: { required: body.required, content: json(plainSchemaOf(body.schema), example?.body) } }
      : {}),
    responses: {
      [creates ? '201' : '200']: { description: 'Done.', content: json(referenceTo(answer), example?.answer) },
      ...problemsOf(operation),
    },
  };
};

const parameters = (place: 'path' | 'query', schema: z.ZodObject | undefined): JsonObject[] =>
  Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...rest } = plainSchemaOf(field as z.ZodType, 'output'); // what a text in an address stands for
    return { name, in: place, required: place === 'path', ...(description ? { description } : {}), schema: rest };
  });

const json = (schema: JsonObject, example: unknown): JsonObject => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});
