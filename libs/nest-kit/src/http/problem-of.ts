import { type Problem, type RefusalCode, REFUSALS } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import { HttpException } from '@nestjs/common';
import { MethodNotAllowed } from './allowed-methods.js';
import { RateLimited } from './rate-limits.js';

type Answer = Pick<Problem, 'status' | 'code' | 'title' | 'detail' | 'errors'> & {
  readonly headers?: Record<string, string>;
  readonly state?: unknown;
};

/** The one place where an error becomes a status, chosen from its code. */
export const problemOf = (error: unknown): Answer => {
  if (error instanceof PlatformError) {
    const { code } = error;
    if (code === 'VALIDATION_FAILED') return invalid(error);
    if (code === 'RUN_EXISTS' || code === 'THREAD_EXISTS') return KEY_REUSED; // only its key lets a caller name a new one
    if (isRefusal(code)) return { status: REFUSED_WITH[code] ?? 409, code, title: REFUSALS[code] };
    const answer = BY_CODE[code];
    if (answer) return { code: SHOWN_AS[code] ?? code, ...answer(error) };
  }
  if (error instanceof HttpException) return ofHttp(error);
  return { status: 500, code: 'INTERNAL_ERROR', title: 'Something went wrong here.' };
};

/** Whatever found it, a schema or a use case: it has a `problems` with the fields. */
const invalid = (error: PlatformError): Answer => ({
  ...{ status: 400, code: error.code, title: 'The request is not valid.' },
  ...fieldsOf(error),
});

const fieldsOf = (error: PlatformError): Pick<Problem, 'errors'> =>
  'problems' in error && Array.isArray(error.problems) ? { errors: error.problems as Problem['errors'] } : {};

const isRefusal = (code: string): code is RefusalCode => Object.hasOwn(REFUSALS, code);

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

const later =
  (afterSeconds: number, title = 'This cannot be answered at present; try again.') =>
  (): Omit<Answer, 'code'> => ({ status: 503, title, headers: { 'retry-after': String(afterSeconds) } });

/** Lists alone need the read models: all else is answered from the log. */
const NO_LISTS = 'Lists cannot be answered at present; try again.';

/** Titles have no ids: another tenant's run and one that never was are told in the same words. */
const BY_CODE: Readonly<Record<string, (error: PlatformError) => Omit<Answer, 'code'>>> = {
  AGENT_NOT_FOUND: ({ message }) => ({ status: 404, title: 'No such agent.', detail: message }),
  INPUT_INVALID: (error) => ({ status: 422, title: 'The agent does not take this input.', ...fieldsOf(error) }),
  THREAD_NOT_FOUND: ({ message }) => ({ status: 404, title: message }),
  UNAUTHENTICATED: ({ message }) => ({
    ...{ status: 401, title: 'A valid token is needed.', detail: message },
    headers: { 'www-authenticate': 'Bearer' },
  }),
  FORBIDDEN: ({ message }) => ({ status: 403, title: 'The token does not allow this.', detail: message }),
  TICKET_USED: ({ message }) => ({ status: 401, title: 'The stream ticket was used before.', detail: message }),
  TOO_MANY_STREAMS: ({ message }) => ({
    ...{ status: 429, title: 'Too many streams are open.', detail: message },
    headers: { 'retry-after': '5' },
  }),
  METHOD_NOT_ALLOWED: (error) => ({
    ...{ status: 405, title: 'This address takes another method.', detail: error.message },
    headers: { allow: error instanceof MethodNotAllowed ? error.allowed.join(', ') : '' },
  }),
  GATEWAY_FULL: later(5),
  SHUTTING_DOWN: later(1),
  TICKET_LEDGER_UNAVAILABLE: later(1),
  RATE_LIMITED: (error) => ({
    ...{ status: 429, title: 'Too many requests; try again later.' },
    headers: { 'retry-after': String(error instanceof RateLimited ? error.retryAfterSeconds : 1) },
  }),
  STORE_UNAVAILABLE: later(1),
  STORE_FULL: later(30),
  // Asking again does not help, and whoever asks did nothing wrong: somebody has to look at what is stored.
  BLOB_MISSING: () => ({ status: 500, title: 'A part of what was stored of this run is lost.' }),
  EVENT_INVALID: () => ({ status: 500, title: 'What is stored of this run cannot be read.' }),
  KEYS_UNAVAILABLE: later(1),
  DATABASE_UNAVAILABLE: later(1, NO_LISTS),
  DATABASE_NOT_MIGRATED: later(5, NO_LISTS),
  DATABASE_REFUSED: later(5, NO_LISTS), // whoever asks did nothing wrong: our role, or a right of it, is missing there
};

/** The log is the store clients know of, and they have matched on these codes since before other things were stored. */
const SHOWN_AS: Readonly<Record<string, string>> = {
  STORE_UNAVAILABLE: 'RUN_LOG_UNAVAILABLE',
  STORE_FULL: 'RUN_LOG_FULL',
};

const BY_STATUS: Readonly<Record<number, readonly [code: string, title: string]>> = {
  400: ['MALFORMED_REQUEST', 'The request cannot be read.'],
  404: ['NOT_FOUND', 'There is nothing here.'],
  408: ['REQUEST_TIMEOUT', 'The request did not come to its end in time.'],
  413: ['PAYLOAD_TOO_LARGE', 'The body is too large.'],
  414: ['URI_TOO_LONG', 'The address is too long.'],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'Send application/json.'],
  431: ['HEADERS_TOO_LARGE', 'The headers are too large.'],
  503: ['NOT_READY', 'The service is not ready.'],
};

/** What the framework says before a route is reached, and health when it is bad. */
const ofHttp = (error: HttpException): Answer => {
  const status = error.getStatus();
  const [code, title] = BY_STATUS[status] ?? (status < 500 ? REFUSED : FAILED);
  const state = error.getResponse();
  const why = status === 400 ? { detail: error.message } : {};
  return { status, code, title, ...why, ...(status === 503 && typeof state === 'object' ? { state } : {}) };
};

const REFUSED = ['REQUEST_REFUSED', 'The request was refused.'] as const;
const FAILED = ['INTERNAL_ERROR', 'Something went wrong here.'] as const;
