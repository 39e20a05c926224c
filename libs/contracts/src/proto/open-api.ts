import { z } from 'zod';
import { OPERATIONS, type Operation } from '../http/operations.js';
import { Problem } from '../http/problem.http.js';
import type { JsonObject } from './json-schema.js';

/** The document clients are made from, out of the very schemas requests are parsed with. */
export const openApi = (): JsonObject => {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of OPERATIONS) {
    const path = (paths[operation.path.replaceAll(/:(\w+)/g, '{$1}')] ??= {});
    path[operation.method] = describe(operation);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Millrace run API', version: '1' },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Problem: schemaOf(Problem, 'output') },
    },
  };
};

const describe = ({ id, summary, tag, params, query, body, answer, creates }: Operation): object => ({
  operationId: id,
  summary,
  tags: [tag],
  parameters: [
    ...parameters('path', params),
    ...parameters('query', query),
    ...(creates === 'by key' ? [{ $comment: 'the same key and body give the same answer', ...KEY }] : []),
  ],
  ...(body ? { requestBody: { required: body.required, content: json(schemaOf(body.schema, 'input')) } } : {}),
  responses: {
    [creates ? '201' : '200']: { description: 'Done.', content: json(schemaOf(answer, 'output')) },
    default: {
      description: 'A problem; match on its `code`.',
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  },
});

const KEY = { name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string', maxLength: 255 } };

const parameters = (place: 'path' | 'query', schema: z.ZodObject | undefined): object[] =>
  Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    ...{ name, in: place, required: place === 'path' },
    schema: schemaOf(field as z.ZodType, 'output'), // what a text in an address has to stand for
  }));

const json = (schema: object): object => ({ 'application/json': { schema } });

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): object => {
  const { $schema: _, '~standard': __, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
};
