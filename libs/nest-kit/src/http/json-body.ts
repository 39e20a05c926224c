import { UnsupportedMediaTypeException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DEEPEST } from './nesting.js';
import { mayHavePrototypeKey, prototypeKeyIn } from './prototype-keys.js';
import { RequestInvalid } from './request-invalid.js';

type Done = (error: Error | null, body?: unknown) => void;
type Parse = (request: unknown, body: Buffer, done: Done) => void;
interface Asked {
  /** No route takes it: then its body is nobody's business. */
  readonly is404: boolean;
}
interface JsonServer {
  removeAllContentTypeParsers(): void;
  getDefaultJsonParser(onProto: 'ignore', onConstructor: 'ignore'): Parse;
}

/**
 * A body is JSON, or there is none. Many clients name a type for every POST, whether they send something or not. Nothing
 * is no JSON, but it is no mistake either: whether the route needs a body is for its schema to say.
 */
export function takeJsonOnly(app: NestFastifyApplication): void {
  const server = app.get(HttpAdapterHost).httpAdapter.getInstance<JsonServer>();
  server.removeAllContentTypeParsers(); // Fastify's own take plain text as well
  const parse = server.getDefaultJsonParser('ignore', 'ignore'); // it would call such a body no JSON; see below
  const isNothing = ({ is404 }: Asked, body: Buffer): boolean => is404 || body.length === 0;
  app.useBodyParser('application/json', {}, (request, body: Buffer, done: Done) => {
    if (isNothing(request, body)) done(null);
    else parse(request, body, (error, parsed) => (error ? done(error) : done(poisonIn(body, parsed), parsed)));
  });
  // Whatever else there is; because of it Nest adds none for forms.
  app.useBodyParser('*', {}, (request, body: Buffer, done: Done) =>
    done(isNothing(request, body) ? null : new UnsupportedMediaTypeException()),
  );
}

const poisonIn = (body: Buffer, parsed: unknown): RequestInvalid | null => {
  const field = mayHavePrototypeKey(body) ? prototypeKeyIn(parsed, DEEPEST) : undefined;
  return field === undefined ? null : new RequestInvalid([{ field, message: NAMED_BY_JAVASCRIPT }]);
};

const NAMED_BY_JAVASCRIPT = 'is a name that JavaScript itself gives a meaning to: use another, wherever it stands';
