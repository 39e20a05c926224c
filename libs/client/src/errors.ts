import type { Problem } from '@millrace/contracts';

/** What this library throws. Match on `code`: messages are for people and may change. */
export abstract class MillraceError extends Error {
  abstract readonly code: string;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The server answered that it will not do this: its problem, as it told it. */
export class ApiError extends MillraceError {
  readonly code: string;
  readonly status: number;
  /** Which fields were wrong and why, when the request was not valid. */
  readonly errors: readonly { readonly field: string; readonly message: string }[];
  /** Under which the server's logs have this request. */
  readonly requestId: string | undefined;
  readonly detail: string | undefined;
  /** How long the server asked to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: Pick<Problem, 'title' | 'status' | 'code'> & Partial<Problem>, retryAfterMs?: number) {
    super(`${problem.status} ${problem.code}: ${[problem.title, problem.detail].filter(Boolean).join(' ')}`);
    this.code = problem.code;
    this.status = problem.status;
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId;
    this.detail = problem.detail;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer came: no network, no server, or not in time. Whether the request was done is not known. */
export class ConnectionFailed extends MillraceError {
  readonly code = 'CONNECTION_FAILED';
}

/** Not even a heartbeat came. */
export class StreamSilent extends MillraceError {
  readonly code = 'STREAM_SILENT';

  constructor(silentMs: number) {
    super(`The server said nothing for ${silentMs} ms`);
  }
}

/** What came is not what the protocol says, or events are missing that nobody can give. */
export class StreamBroken extends MillraceError {
  readonly code = 'STREAM_BROKEN';
}
