import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Page {
  readonly type: string;
  readonly body: string;
}
export interface Upstreams {
  /** Asked anew for each request: a service that was started again is somewhere else, and one that was killed nowhere. */
  readonly api: () => string | undefined;
  readonly stream: () => string | undefined;
  readonly pages: Readonly<Record<string, Page>>;
}

const STREAMS = /^\/(agents\/runs\/[^/]+\/stream|agents\/events|api\/agent\/[^/]+\/events|api\/runs\/[^/]+\/events)$/;

/** The services behind one address, as a browser sees them. A service that is away is a connection that breaks. */
export class OneOrigin {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(upstreams: Upstreams): Promise<OneOrigin> {
    const server = createServer((asked, answer) => {
      const [path = '/'] = (asked.url ?? '/').split('?');
      const page = upstreams.pages[path];
      if (page) answer.writeHead(200, { 'content-type': page.type }).end(page.body);
      else forward(STREAMS.test(path) ? upstreams.stream() : upstreams.api(), asked, answer);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OneOrigin(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

function forward(to: string | undefined, asked: IncomingMessage, answer: ServerResponse): void {
  if (to === undefined) return void answer.destroy();
  const passed = request(new URL(asked.url ?? '/', to), { method: asked.method, headers: asked.headers });
  const hangUp = () => answer.destroy();
  passed.on('response', (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers);
    answer.flushHeaders();
    got.on('error', hangUp).on('aborted', hangUp).pipe(answer);
  });
  passed.on('error', hangUp);
  answer.on('close', () => passed.destroy());
  asked.pipe(passed);
}
