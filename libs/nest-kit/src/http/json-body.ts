import { HttpAdapterHost } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

type Done = (error: Error | null, body?: unknown) => void;
interface JsonServer {
  getDefaultJsonParser(onProto: 'error', onConstructor: 'error'): (request: unknown, body: Buffer, done: Done) => void;
}

/**
 * Many clients name a type for every POST, whether they send something or not. Nothing is no JSON, but it is no mistake
 * either: whether the route needs a body is for its schema to say.
 */
export function takeEmptyJson(app: NestFastifyApplication): void {
  const server = app.get(HttpAdapterHost).httpAdapter.getInstance<JsonServer>();
  const parse = server.getDefaultJsonParser('error', 'error');
  app.useBodyParser('application/json', {}, (request, body: Buffer, done: Done) =>
    body.length === 0 ? done(null) : parse(request, body, done),
  );
}
