import { HttpException } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { HttpOptions } from '../run-service.js';
import { problemOf } from './problem-of.js';

type FrameworkErrors = NonNullable<HttpOptions['frameworkErrors']>;

const HEADERS = { 'content-type': 'application/problem+json; charset=utf-8', 'x-content-type-options': 'nosniff' };

/** An address that cannot be decoded or is too long never reaches a route, nor Nest's filters: the same answer here. */
export const answerFrameworkError: FrameworkErrors = (error, _request, reply) => {
  const { status, code, title } = problemOf(new HttpException(error.message, error.statusCode ?? 400));
  const problem = { type: 'about:blank', title, status, code };
  reply.hijack();
  const raw = reply.raw as ServerResponse; // the adapter is made for HTTP/1
  raw.writeHead(status, HEADERS).end(JSON.stringify(problem));
};
