import { ApiError, ConnectionFailed } from '../errors.js';
import { delay, waitBefore, type Backoff } from './backoff.js';
import { readProblem } from './problem-reader.js';
import type { TokenSource } from './token-source.js';

export interface TransportOptions {
  readonly baseUrl: string;
  /** Where streams are read, when that is another address. */
  readonly streamUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly tokens: TokenSource;
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: RequestCredentials;
  readonly backoff: Backoff;
  /** How often a request that may be repeated is tried in all. */
  readonly attempts: number;
  readonly timeoutMs: number;
  readonly random: () => number;
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Doing it twice is the same as doing it once: tried again when nobody knows whether it was done. */
  readonly repeatable: boolean;
}

/** HTTP as all routes need it: tokens, repeats, problems. It knows no route. */
export class Transport {
  constructor(private readonly options: TransportOptions) {}

  async send<T>(call: Call): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once<T>(call);
      } catch (error) {
        call.signal?.throwIfAborted();
        if (!call.repeatable || attempt >= this.options.attempts || !mayPass(error)) throw error;
        await this.wait(attempt - 1, error, call.signal);
      }
    }
  }

  /** The answer as it begins, for reading it as it comes: not repeated here, and without a time limit on its body. */
  async open(call: Omit<Call, 'repeatable'>): Promise<Response> {
    const response = await this.#authorized(call, this.options.streamUrl, call.signal);
    if (!response.ok) throw await readProblem(response);
    return response;
  }

  /** Where a stream is read by somebody else than us. */
  streamAddress(path: string, query: Query): string {
    return addressOf(this.options.streamUrl, { path, query });
  }

  /** As long as the error asks for, or as the attempt suggests. */
  async wait(attempt: number, error: unknown, signal?: AbortSignal, leastMs = 0): Promise<void> {
    const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    const suggested = waitBefore(attempt, this.options.backoff, this.options.random);
    // On top of what was asked for: all who were asked to come back in a second would come back together.
    await delay(Math.max(asked, leastMs) + suggested, signal);
  }

  async #once<T>(call: Call): Promise<T> {
    const timeout = AbortSignal.timeout(this.options.timeoutMs);
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
    const response = await this.#authorized(call, this.options.baseUrl, signal);
    if (!response.ok) throw await readProblem(response);
    try {
      return (await response.json()) as T;
    } catch (cause) {
      throw new ConnectionFailed(`${call.method} ${call.path} was answered, but the answer broke off`, { cause });
    }
  }

  /** A token that was refused is renewed once: it may have expired since it was handed out. */
  async #authorized(call: Omit<Call, 'repeatable'>, base: string, signal?: AbortSignal): Promise<Response> {
    const { tokens } = this.options;
    const token = await tokens.current();
    const response = await this.#fetch(call, base, token, signal);
    if (response.status !== 401) return response;
    const renewed = await tokens.insteadOf(token);
    if (renewed === undefined || renewed === token) return response;
    await response.body?.cancel();
    return this.#fetch(call, base, renewed, signal);
  }

  async #fetch(call: Omit<Call, 'repeatable'>, base: string, token?: string, signal?: AbortSignal): Promise<Response> {
    const { headers, credentials } = this.options;
    const hasBody = call.body !== undefined;
    try {
      return await this.options.fetch(addressOf(base, call), {
        method: call.method,
        credentials,
        cache: 'no-store',
        headers: {
          ...headers,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(hasBody ? { 'content-type': 'application/json' } : {}),
          ...call.headers,
        },
        ...(hasBody ? { body: JSON.stringify(call.body) } : {}),
        ...(signal ? { signal } : {}),
      });
    } catch (cause) {
      call.signal?.throwIfAborted();
      throw new ConnectionFailed(`${call.method} ${call.path} was not answered`, { cause });
    }
  }
}

/** What a moment's patience may cure. */
export const mayPass = (error: unknown): boolean =>
  error instanceof ConnectionFailed || (error instanceof ApiError && PASSING.has(error.status));

const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

const addressOf = (base: string, { path, query = {} }: Pick<Call, 'path' | 'query'>): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const asked = search.size > 0 ? `?${search.toString()}` : '';
  return `${base.replace(/\/+$/, '')}${path}${asked}`;
};
