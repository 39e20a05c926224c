import type { Process } from './cluster.for-spec.js';

/** For a cluster whose heaps are looked into: every process tells at which free port its inspector listens. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly chunk?: string };
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** The heap of a running process, seen through Node's inspector: the process itself knows nothing of it. */
export class ProcessHeap {
  readonly #answers = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  readonly #chunks: string[] = [];
  #asked = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => this.hear(JSON.parse(String(data)) as Reply));
    socket.addEventListener('close', () => {
      for (const { reject } of this.#answers.values()) reject(new Error('the process is gone'));
    });
  }

  static async of({ lines }: Process): Promise<ProcessHeap> {
    const url = lines.map((line) => /Debugger listening on (ws:\S+)/.exec(line)?.[1]).find(Boolean);
    if (url === undefined) throw new Error('the process was started without an inspector');
    const socket = new WebSocket(url);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error(`${url} does not answer`)));
    });
    return new ProcessHeap(socket);
  }

  /** What is in use once all garbage has been collected. */
  async usedBytes(): Promise<number> {
    await this.ask('HeapProfiler.collectGarbage');
    const { usedSize } = (await this.ask('Runtime.getHeapUsage')) as { usedSize: number };
    return usedSize;
  }

  /** Every string something still points at. */
  async strings(): Promise<string[]> {
    this.#chunks.length = 0;
    await this.ask('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    const { strings } = JSON.parse(this.#chunks.splice(0).join('')) as { strings: string[] };
    return strings;
  }

  close(): void {
    this.socket.close();
  }

  private ask(method: string, params: object = {}): Promise<unknown> {
    const id = (this.#asked += 1);
    return new Promise((resolve, reject) => {
      this.#answers.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  private hear({ id, method, params, result, error }: Reply): void {
    if (method === 'HeapProfiler.addHeapSnapshotChunk') this.#chunks.push(params?.chunk ?? '');
    if (id === undefined) return;
    const answer = this.#answers.get(id);
    this.#answers.delete(id);
    if (error) answer?.reject(new Error(error.message));
    else answer?.resolve(result);
  }
}
