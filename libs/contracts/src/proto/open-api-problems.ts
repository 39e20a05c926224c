import { RunCreated } from '../http/native.http.js';
import type { Operation } from '../http/operations.js';
import { aRunId } from '../fixtures.js';
import type { JsonObject } from './json-schema.js';

interface ProblemKind {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly description: string;
  readonly headers?: readonly string[];
  readonly more?: JsonObject;
}

/** What can be answered in place of what was asked for; `code` is an example where there are several. */
const PROBLEMS = {
  Invalid: {
    ...{ status: 400, code: 'VALIDATION_FAILED', title: 'The request is not valid.' },
    description: 'What was sent cannot be read, or has not the shape the route takes: `errors` names the fields.',
    more: { errors: [{ field: 'appId', message: 'Invalid input: expected string, received undefined' }] },
  },
  Unauthenticated: {
    ...{ status: 401, code: 'UNAUTHENTICATED', title: 'A valid token is needed.' },
    description: 'No token, or none that is good.',
    headers: ['WWW-Authenticate'],
  },
  Forbidden: {
    ...{ status: 403, code: 'FORBIDDEN', title: 'The token does not allow this.' },
    description: 'The token lacks the scope.',
  },
  NotFound: {
    ...{ status: 404, code: 'RUN_NOT_FOUND', title: 'No such run.' },
    description:
      'There is none, or it is another tenant’s: both are told in the same words. Or, as AGENT_NOT_FOUND, no such agent.',
  },
  AgentNotFound: {
    ...{ status: 404, code: 'AGENT_NOT_FOUND', title: 'No such agent.' },
    description: 'No worker ever announced it, or not in this version: `detail` names those there are.',
    more: { detail: 'There is no agent ekho: there are echo, treadmill' },
  },
  Refused: {
    ...{ status: 409, code: 'RUN_ENDED', title: 'The run has ended; nothing more can happen to it.' },
    description: 'This makes no sense for the run as it is.',
  },
  Expired: {
    ...{ status: 410, code: 'INPUT_EXPIRED', title: 'The request has expired.' },
    description: 'Nobody answered in time.',
  },
  TooLarge: {
    ...{ status: 413, code: 'PAYLOAD_TOO_LARGE', title: 'The body is too large.' },
    description: 'The body is over 1 MiB.',
  },
  AddressTooLong: {
    ...{ status: 414, code: 'URI_TOO_LONG', title: 'The address is too long.' },
    description: 'An id in it is over 100 characters.',
  },
  NoJson: {
    ...{ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', title: 'Send application/json.' },
    description: 'There is a body, and it is not said to be JSON.',
  },
  KeyReused: {
    ...{ status: 422, code: 'IDEMPOTENCY_KEY_REUSED', title: 'This key was used before, for another request.' },
    description: 'The Idempotency-Key came with another request before.',
  },
  InputInvalid: {
    ...{ status: 422, code: 'INPUT_INVALID', title: 'The agent does not take this input.' },
    description:
      'The input schema of the agent refuses the input, and `errors` names the fields; or, as IDEMPOTENCY_KEY_REUSED, the ' +
      'Idempotency-Key came with another request before.',
    more: { errors: [{ field: 'input.text', message: 'is missing: it must be a string' }] },
  },
  RateLimited: {
    ...{ status: 429, code: 'RATE_LIMITED', title: 'Too many requests; try again later.' },
    description: 'More requests than a minute may have.',
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  },
  Failed: {
    ...{ status: 500, code: 'INTERNAL_ERROR', title: 'Something went wrong here.' },
    description: 'A mistake of ours: the request id leads to the line in our log.',
  },
  Unavailable: {
    ...{ status: 503, code: 'RUN_LOG_UNAVAILABLE', title: 'This cannot be answered at present; try again.' },
    description: 'Whether an order was stored is not known: repeat it, with its key when it creates something.',
    headers: ['Retry-After'],
  },
  ListsUnavailable: {
    ...{ status: 503, code: 'DATABASE_UNAVAILABLE', title: 'Lists cannot be answered at present; try again.' },
    description: 'The read models are away, or not as they must be; single runs are still answered, from the log.',
    headers: ['Retry-After'],
  },
} as const satisfies Record<string, ProblemKind>;
type ProblemName = keyof typeof PROBLEMS;

export const problemResponses = (): JsonObject =>
  Object.fromEntries(Object.entries<ProblemKind>(PROBLEMS).map(([name, kind]) => [name, responseOf(kind)]));

/** Which of them an operation may answer with. */
export const problemsOf = (operation: Operation): JsonObject => {
  const names: ProblemName[] = [
    ...(['Invalid', 'Unauthenticated', 'Forbidden'] as const),
    ...notFound(operation),
    ...(operation.params && operation.body ? (['Refused'] as const) : []),
    ...(operation.id.startsWith('answer') ? (['Expired'] as const) : []),
    ...(operation.params ? (['AddressTooLong'] as const) : []),
    ...(operation.body ? (['TooLarge', 'NoJson'] as const) : []),
    ...(operation.creates === 'by key' ? ([startsRun(operation) ? 'InputInvalid' : 'KeyReused'] as const) : []),
    ...(['RateLimited', 'Failed', operation.id === 'listRuns' ? 'ListsUnavailable' : 'Unavailable'] as const),
  ];
  return referencesTo(names);
};

/** What it names in its address, or in its body. */
const notFound = ({ params, body }: Operation): ProblemName[] => {
  if (params !== undefined) return ['agent' in params.shape ? 'AgentNotFound' : 'NotFound'];
  const named = Object.keys(body?.schema.shape ?? {});
  if (named.includes('threadId')) return ['NotFound'];
  return named.includes('agent') ? ['AgentNotFound'] : [];
};

const startsRun = ({ answer }: Operation): boolean => answer === RunCreated;

export const referencesTo = (names: readonly ProblemName[]): JsonObject =>
  Object.fromEntries(names.map((name) => [PROBLEMS[name].status, { $ref: `#/components/responses/${name}` }]));

const responseOf = ({ description, headers = [], more, ...said }: ProblemKind): JsonObject => ({
  description,
  ...(headers.length === 0
    ? {}
    : { headers: Object.fromEntries(headers.map((name) => [name, { schema: { type: 'string' } }])) }),
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      example: { type: 'about:blank', ...said, requestId: aRunId, ...more },
    },
  },
});
