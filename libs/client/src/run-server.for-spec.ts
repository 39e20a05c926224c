import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientOptions } from './connect.js';
import { createClient, type MillraceClient } from './millrace-client.js';
import type { PublicEvent } from '@millrace/contracts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export type Handler = (asked: Asked, response: ServerResponse) => void | Promise<void>;

/** A real HTTP server whose routes a spec writes, and which remembers what it was asked. */
export class SpecServer {
  readonly asked: Asked[] = [];
  readonly #server: Server;
  #handler: Handler = (_, response) => json(response, 404, { code: 'NOT_FOUND', title: 'Nothing here', status: 404 });

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<SpecServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const own = new SpecServer(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void own.#answer(request, response));
    return own;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A client of it that hardly waits before it tries again. */
  client(options: Partial<ClientOptions> = {}): MillraceClient {
    return createClient({ baseUrl: this.url, retry: { firstMs: 1, mostMs: 5 }, random: () => 0.5, ...options });
  }

  answers(handler: Handler): void {
    this.asked.length = 0;
    this.#handler = handler;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://spec');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const asked: Asked = {
      ...{ method: request.method ?? '', path: url.pathname, query: Object.fromEntries(url.searchParams) },
      ...{ headers: request.headers, body: text === '' ? undefined : JSON.parse(text) },
    };
    this.asked.push(asked);
    await this.#handler(asked, response);
  }
}

export const json = (response: ServerResponse, status: number, body: unknown, headers: object = {}): void => {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type, ...headers }).end(JSON.stringify(body));
};

export const problem = (status: number, code: string) => ({ type: 'about:blank', title: code, status, code });

export const beginSse = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write('retry: 1\n\n');
};

export const frameOf = (event: PublicEvent): string => `id: ${event.sequence}\ndata: ${JSON.stringify(event)}\n\n`;

/** The protocol as it is, over a log that is there: `/events` pages, `/stream` what a spec makes of it. */
export const serveLog =
  (
    log: readonly PublicEvent[],
    stream: (events: readonly PublicEvent[], response: ServerResponse, asked: Asked) => void,
  ): Handler =>
  (asked, response) => {
    const from = Number(asked.query['fromSeq'] ?? 0);
    const events = log.filter(({ sequence }) => sequence >= from);
    if (asked.path.endsWith('/events')) {
      const limit = Number(asked.query['limit'] ?? 100);
      return json(response, 200, { events: events.slice(0, limit), hasMore: events.length > limit });
    }
    return stream(events, response, asked);
  };
