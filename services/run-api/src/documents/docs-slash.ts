import { HttpAdapterHost } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

interface Reply {
  code(status: number): Reply;
  header(name: string, value: string): Reply;
  send(): unknown;
}
interface Server {
  get(path: string, handler: (request: unknown, reply: Reply) => unknown): void;
}

/**
 * `/docs/` leads to `/docs`, and is not the page itself: what the page loads is beside it. Relative, since a proxy may have
 * put us under a path. Said to Fastify, because for Nest the two are one route.
 */
export function redirectDocsSlash(app: NestFastifyApplication): void {
  const server = app.get(HttpAdapterHost).httpAdapter.getInstance<Server>();
  server.get('/docs/', (_request, reply) => reply.code(308).header('location', '../docs').send());
}
