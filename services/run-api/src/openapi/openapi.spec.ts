import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { openApi, OPERATIONS } from '@millrace/contracts';
import { RequestMethod } from '@nestjs/common';
import { AgentController } from '../routes/agent.controller.js';
import { NativeController } from '../routes/native.controller.js';
import { RunListController } from '../routes/run-list.controller.js';
import { StreamTicketController } from '../routes/stream-ticket.controller.js';
import { ThreadController } from '../routes/thread.controller.js';
import { ThreadRunController } from '../routes/thread-run.controller.js';

const CONTROLLERS = [
  NativeController,
  AgentController,
  ThreadController,
  ThreadRunController,
  StreamTicketController,
  RunListController,
];

/** As Nest itself reads them from the decorators. */
const routesOf = (controller: { prototype: object; name: string }): string[] =>
  Object.entries(Object.getOwnPropertyDescriptors(controller.prototype)).flatMap(([name, { value }]) => {
    if (name === 'constructor') return [];
    const path = String(Reflect.getMetadata('path', value as object)).replace(/^\/$/, '');
    const method = RequestMethod[Reflect.getMetadata('method', value as object) as RequestMethod];
    return [`${method.toLowerCase()} /${String(Reflect.getMetadata('path', controller))}${path && `/${path}`}`];
  });

describe('The OpenAPI document', () => {
  it('describes the routes that are there, and no others', () => {
    const routes = CONTROLLERS.flatMap(routesOf);
    expect(OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(routes.sort());
  });

  it('has the schemas requests are parsed with', () => {
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
