/** One SSE message as it came: `id` only when it had one. */
export interface Message {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

/** What a client hears on one connection, to the end of it. Comments and `retry:` are kept apart. */
export class SseClient {
  readonly comments: string[] = [];
  readonly retries: number[] = [];
  #text = '';

  private constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {}

  static async open(url: string, headers: Record<string, string> = {}): Promise<SseClient> {
    const abort = new AbortController();
    return new SseClient(await fetch(url, { headers, signal: abort.signal }), abort);
  }

  get status(): number {
    return this.response.status;
  }

  close(): void {
    this.abort.abort();
  }

  /** Always the same: who takes some leaves the rest to the next. */
  readonly #messages = this.read();

  private async *read(): AsyncGenerator<Message> {
    const decoder = new TextDecoder();
    const body: ReadableStream<Uint8Array> | null = this.response.body;
    for await (const chunk of body ?? []) {
      this.#text += decoder.decode(chunk, { stream: true });
      const blocks = this.#text.split('\n\n');
      this.#text = blocks.pop() ?? '';
      for (const block of blocks) {
        const message = this.parse(block);
        if (message) yield message;
      }
    }
  }

  async all(): Promise<Message[]> {
    const all: Message[] = [];
    for await (const message of this.#messages) all.push(message);
    return all;
  }

  /** The next so many, leaving the rest. */
  async take(count: number): Promise<Message[]> {
    const taken: Message[] = [];
    while (taken.length < count) {
      const next = await this.#messages.next();
      if (next.done) break;
      taken.push(next.value);
    }
    return taken;
  }

  private parse(block: string): Message | undefined {
    const fields: { id?: string; event?: string; data?: string } = {};
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
      if (name === '') this.comments.push(value);
      else if (name === 'retry') this.retries.push(Number(value));
      else if (name === 'id' || name === 'event' || name === 'data') fields[name] = value;
    }
    return fields.data === undefined ? undefined : { ...fields, data: fields.data };
  }
}
