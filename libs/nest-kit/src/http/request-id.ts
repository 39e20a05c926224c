import { UlidEventIds } from '@millrace/adapter-jetstream';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';

interface IdentifiedRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  requestId?: string;
}
interface HeaderReply {
  header(name: string, value: string): unknown;
}

const ids = new UlidEventIds();

/**
 * Gives every request an id before anything else looks at it: the caller's own, so that it can follow its request
 * through, or a new one when that could do harm in a log line. Also says that no answer of ours may be kept.
 */
@Injectable()
export class RequestIds {
  constructor(host: HttpAdapterHost<FastifyAdapter>) {
    host.httpAdapter.setOnRequestHook((request: IdentifiedRequest, reply: HeaderReply, done: () => void) => {
      const sent = request.headers['x-request-id'];
      request.requestId = typeof sent === 'string' && /^[\w.:-]{1,128}$/.test(sent) ? sent : ids.next();
      reply.header('x-request-id', request.requestId);
      reply.header('cache-control', 'no-store');
      done();
    });
  }
}
