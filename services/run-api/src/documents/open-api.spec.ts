import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { openApi, OPERATIONS } from '@millrace/contracts';
import { RequestMethod } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { z } from 'zod';
import { AgentController } from '../routes/agent.controller.js';
import { CatalogueController } from '../routes/catalogue.controller.js';
import { NativeController } from '../routes/native.controller.js';
import { RunListController } from '../routes/run-list.controller.js';
import { StreamTicketController } from '../routes/stream-ticket.controller.js';
import { ThreadController } from '../routes/thread.controller.js';
import { ThreadRunController } from '../routes/thread-run.controller.js';

const CONTROLLERS = [
  CatalogueController,
  NativeController,
  AgentController,
  ThreadController,
  ThreadRunController,
  StreamTicketController,
  RunListController,
];

interface Route {
  readonly route: string;
  /** By where a parameter comes from: what it is parsed with. */
  readonly schemas: Readonly<Record<string, unknown>>;
}
const PLACES: Readonly<Record<string, string>> = { 3: 'body', 4: 'query', 5: 'params' };

/** As Nest itself reads them from the decorators. */
const routesOf = (controller: { prototype: object; name: string }): Route[] =>
  Object.entries(Object.getOwnPropertyDescriptors(controller.prototype)).flatMap(([name, { value }]) => {
    if (name === 'constructor') return [];
    const path = String(Reflect.getMetadata('path', value as object)).replace(/^\/$/, '');
    const method = RequestMethod[Reflect.getMetadata('method', value as object) as RequestMethod];
    const route = `${method.toLowerCase()} /${String(Reflect.getMetadata('path', controller))}${path && `/${path}`}`;
    const given = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as Record<string, { schema?: unknown }>;
    const schemas = Object.entries(given).flatMap(([key, { schema }]) => {
      const place = PLACES[key.split(':')[0] ?? ''];
      return place === undefined ? [] : [[place, unwrapped(schema)] as const];
    });
    return [{ route, schemas: Object.fromEntries(schemas) }];
  });

/** A body that may be left out is parsed by a schema around the one it has otherwise. */
const unwrapped = (schema: unknown): unknown => (schema instanceof z.ZodPipe ? schema.def.out : schema);
const routes = CONTROLLERS.flatMap(routesOf);

describe('The OpenAPI document', () => {
  it('describes the routes that are there, and no others', () => {
    const described = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
    expect(described.sort()).toEqual(routes.map(({ route }) => route).sort());
  });

  it.each(OPERATIONS)('has the very schemas $method $path parses with, and each parameter has one', (operation) => {
    const { method, path, params, query, body } = operation;
    const { schemas } = routes.find(({ route }) => route === `${method} ${path}`) ?? {};
    const expected = { params, query, body: body?.schema };
    for (const place of ['params', 'query', 'body'] as const) expect(schemas?.[place]).toBe(expected[place]);
  });

  it('is made from them', () => {
    const document = JSON.parse(JSON.stringify(openApi())) as { paths: Record<string, Record<string, object>> };
    expect(document.paths['/agents/runs']?.['post']).toMatchObject({
      requestBody: { required: true, content: { 'application/json': { schema: { required: ['appId', 'policy'] } } } },
      responses: { 201: { content: { 'application/json': { schema: { required: ['runId'] } } } } },
    });
    expect(document.paths['/agents/runs/{id}/events']?.['get']).toMatchObject({
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { pattern: expect.stringContaining('{25}') } },
        { name: 'fromSeq', in: 'query', required: false, schema: { default: 0 } },
        { name: 'limit', in: 'query', schema: { maximum: 1000 } },
      ],
    });
  });
});
