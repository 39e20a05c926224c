import { AnswerInvalid, ThreadRefused } from '@millrace/application';
import { type Problem, type RefusalCode, REFUSALS } from '@millrace/contracts';
import { RunLogFull, RunLogUnavailable } from '@millrace/ports';
import { RunRefused } from '@millrace/run-domain';
import { HttpException } from '@nestjs/common';
import { Forbidden, KeysUnavailable, Unauthenticated } from '../auth/auth-errors.js';
import { RequestInvalid } from './request-invalid.js';

type Answer = Pick<Problem, 'status' | 'code' | 'title' | 'detail' | 'errors'> & {
  readonly headers?: Record<string, string>;
  readonly state?: unknown;
};

/** The one place where an error becomes a status. */
export const problemOf = (error: unknown): Answer => {
  if (error instanceof RequestInvalid || error instanceof AnswerInvalid) {
    const { code, problems } = error;
    return { status: 400, code, title: 'The request is not valid.', errors: [...problems] };
  }
  if (error instanceof RunRefused) return refusal(error.code);
  if (error instanceof ThreadRefused) {
    return error.code === 'THREAD_EXISTS' ? KEY_REUSED : { status: 404, code: error.code, title: error.message };
  }
  if (error instanceof Unauthenticated) {
    const headers = { 'www-authenticate': 'Bearer' };
    return { status: 401, code: error.code, title: 'A valid token is needed.', detail: error.message, headers };
  }
  if (error instanceof Forbidden) {
    return { status: 403, code: error.code, title: 'The token does not allow this.', detail: error.message };
  }
  if (error instanceof RunLogUnavailable || error instanceof KeysUnavailable) return later(error.code, 1);
  if (error instanceof RunLogFull) return later(error.code, 30);
  if (error instanceof HttpException) return ofHttp(error);
  return { status: 500, code: 'INTERNAL_ERROR', title: 'Something went wrong here.' };
};

/** The title alone, without ids: another tenant's run and one that never was are told in the same words. */
const refusal = (code: RefusalCode): Answer => {
  if (code === 'RUN_EXISTS') return KEY_REUSED; // a caller names a new run only through its key
  return { status: REFUSED_WITH[code] ?? 409, code, title: REFUSALS[code] };
};

/** What is not listed makes no sense for the run as it is now, and perhaps does later. */
const REFUSED_WITH: Partial<Record<RefusalCode, number>> = {
  RUN_NOT_FOUND: 404,
  INPUT_NOT_FOUND: 404,
  TASK_NOT_FOUND: 404,
  INPUT_EXPIRED: 410,
};

const KEY_REUSED: Answer = {
  ...{ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' },
  title: 'This key was used before, for another request.',
};

const later = (code: string, afterSeconds: number): Answer => ({
  ...{ status: 503, code, title: 'This cannot be answered at present; try again.' },
  headers: { 'retry-after': String(afterSeconds) },
});

const BY_STATUS: Readonly<Record<number, readonly [code: string, title: string]>> = {
  400: ['MALFORMED_REQUEST', 'The request cannot be read.'],
  404: ['NOT_FOUND', 'There is nothing here.'],
  413: ['PAYLOAD_TOO_LARGE', 'The body is too large.'],
  414: ['URI_TOO_LONG', 'The address is too long.'],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'Send application/json.'],
  503: ['NOT_READY', 'The service is not ready.'],
};

/** What the framework says before a route is reached, and health when it is bad. */
const ofHttp = (error: HttpException): Answer => {
  const status = error.getStatus();
  const [code, title] = BY_STATUS[status] ?? (status < 500 ? REFUSED : FAILED);
  const state = error.getResponse();
  return { status, code, title, ...(status === 503 && typeof state === 'object' ? { state } : {}) };
};

const REFUSED = ['REQUEST_REFUSED', 'The request was refused.'] as const;
const FAILED = ['INTERNAL_ERROR', 'Something went wrong here.'] as const;
