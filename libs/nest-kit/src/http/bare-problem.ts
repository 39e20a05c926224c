import type { Problem } from '@millrace/contracts';
import { HttpException } from '@nestjs/common';
import { problemOf } from './problem-of.js';

const HEADERS = {
  'content-type': 'application/problem+json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** What is answered before there is a request to speak of: a problem without an id and an address. */
export const bareProblem = (asked: number) => {
  const { status, code, title } = problemOf(new HttpException('', asked));
  const problem: Problem = { type: 'about:blank', title, status, code };
  const body = JSON.stringify(problem);
  return { status, body, headers: { ...HEADERS, 'content-length': String(Buffer.byteLength(body)) } };
};
