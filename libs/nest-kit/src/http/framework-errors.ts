import type { ServerResponse } from 'node:http';
import type { HttpOptions } from '../run-service.js';
import { bareProblem } from './bare-problem.js';

type FrameworkErrors = NonNullable<HttpOptions['frameworkErrors']>;

/** An address that cannot be decoded or is too long never reaches a route, nor Nest's filters: the same answer here. */
export const answerFrameworkError: FrameworkErrors = (error, _request, reply) => {
  const { status, headers, body } = bareProblem(error.statusCode ?? 400);
  reply.hijack();
  const raw = reply.raw as ServerResponse; // the adapter is made for HTTP/1
  raw.writeHead(status, headers).end(body);
};
