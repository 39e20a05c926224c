import { type GetToken, TokenSource } from './http/token-source.js';
import { Transport } from './http/transport.js';
import { AgentRoutes } from './routes/agent.routes.js';
import { RunRoutes } from './routes/run.routes.js';
import { ThreadRoutes } from './routes/thread.routes.js';

export interface ClientOptions {
  /** Where run-api answers, e.g. `https://agents.example.com`; empty in a page of the same origin. */
  readonly baseUrl: string;
  /** Where stream-gateway answers, when that is another address. */
  readonly streamUrl?: string | undefined;
  /** Asked before each request, and with `refresh` once a token was refused. */
  readonly getToken?: GetToken | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether cookies go along; as the platform does it by default. */
  readonly credentials?: RequestCredentials | undefined;
  /** How a request is repeated that was not answered, or with 429 or 5xx. */
  readonly retry?: { readonly attempts?: number; readonly firstMs?: number; readonly mostMs?: number } | undefined;
  /** How long an answer may take. Streams have a watchdog of their own. */
  readonly timeoutMs?: number | undefined;
  /** For tests: makes waits repeatable. */
  readonly random?: (() => number) | undefined;
}

export interface Connection {
  readonly transport: Transport;
  readonly runs: RunRoutes;
  readonly agents: AgentRoutes;
  readonly threads: ThreadRoutes;
}

export const connect = (options: ClientOptions): Connection => {
  const { attempts = 4, firstMs = 250, mostMs = 30_000 } = options.retry ?? {};
  const transport = new Transport({
    baseUrl: options.baseUrl,
    streamUrl: options.streamUrl ?? options.baseUrl,
    // Looked up at each call: pages replace it (tests, service workers, instrumentation) after we are made.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    tokens: new TokenSource(options.getToken ?? (() => undefined)),
    headers: options.headers ?? {},
    credentials: options.credentials ?? 'same-origin',
    backoff: { firstMs, mostMs },
    attempts,
    timeoutMs: options.timeoutMs ?? 30_000,
    random: options.random ?? Math.random,
  });
  return {
    transport,
    runs: new RunRoutes(transport),
    agents: new AgentRoutes(transport),
    threads: new ThreadRoutes(transport),
  };
};
