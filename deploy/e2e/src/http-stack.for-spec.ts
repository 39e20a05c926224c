import { Cluster, type Role } from './cluster.for-spec.js';

const OPEN_WIDE = '10000000';
const SETTINGS = {
  STREAM_COOKIE_SECURE: 'false',
  ...{ RATE_LIMIT_READS_PER_MINUTE: OPEN_WIDE, RATE_LIMIT_WRITES_PER_MINUTE: OPEN_WIDE },
  RATE_LIMIT_UNKNOWN_PER_MINUTE: OPEN_WIDE,
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** Services asked from outside as a client would, with `fetch` alone, as often as a spec likes. */
export class HttpStack {
  private constructor(private readonly cluster: Cluster) {}

  static async start(...services: Role[]): Promise<HttpStack> {
    return new HttpStack(await Cluster.start(Object.fromEntries(services.map((name) => [name, 1])), SETTINGS));
  }

  get tenantId(): string {
    return this.cluster.tenantId;
  }

  killEverything(): Promise<void> {
    return this.cluster.killEverything();
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  urlOf(service: Role): string {
    const [first] = this.cluster.of(service);
    if (first === undefined) throw new Error(`${service} does not run`);
    return first.url;
  }

  token(...asked: Parameters<Cluster['token']>): Promise<string> {
    return this.cluster.token(...asked);
  }

  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.urlOf('run-api')}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await this.token()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.ask('POST', path, body, headers);
  }

  get(path: string): Promise<Answer> {
    return this.ask('GET', path);
  }

  /** The frames of a stream, to its end, as `event` and `data`. */
  async frames(path: string, headers: Record<string, string> = {}): Promise<{ event: string; data: unknown }[]> {
    const response = await fetch(`${this.urlOf('stream-gateway')}${path}`, { headers });
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.text()).split('\n\n').flatMap((block) => {
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      const event = /^event: ?(.*)$/m.exec(block)?.[1] ?? 'message';
      return data === undefined ? [] : [{ event, data: JSON.parse(data) as unknown }];
    });
  }

  /** Asks until it is so. */
  async until(path: string, isSo: (body: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    for (;;) {
      const { status, body } = await this.get(path);
      if (status === 200 && isSo(body)) return body;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** How many messages the log holds. */
  stored(): Promise<number> {
    return this.cluster.stored();
  }

  /** What a service complained about. */
  complaints(service: Role): string[] {
    return this.cluster.of(service).flatMap(({ lines }) => lines.filter((line) => !line.includes('"level":"info"')));
  }
}

const parsed = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {}; // no JSON: a spec that expects some sees that nothing is there
  }
};
