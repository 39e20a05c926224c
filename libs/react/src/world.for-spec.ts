import { createClient, type MillraceClient, type PublicEvent } from '@millrace/client';
import { eventFixture, type RunEventKind } from '@millrace/contracts';
import { createElement, type ReactNode, StrictMode } from 'react';
import { MillraceProvider } from './millrace-provider.js';

const idAt = (sequence: number): string => `01JD${String(sequence).padStart(22, '0')}`;

/** A server of runs behind a `fetch` of its own: the real client, without a network between. */
export class SpecWorld {
  readonly client: MillraceClient;
  /** Every stream that was asked for, and whether it is still read. */
  readonly streams: { runId: string; fromSeq: number; isOpen: boolean; send: (text: string) => void }[] = [];
  readonly asked: string[] = [];
  /** What other routes answer, by method and path. */
  readonly answers = new Map<string, () => Response>();
  readonly #logs = new Map<string, PublicEvent[]>();

  constructor() {
    this.client = createClient({ baseUrl: 'http://spec', fetch: (...request) => this.#answer(...request) });
  }

  /** A wrapper for renderHook, in strict mode as applications are developed. */
  readonly around = ({ children }: { children: ReactNode }): ReactNode =>
    createElement(StrictMode, undefined, createElement(MillraceProvider, { client: this.client }, children));

  get openStreams(): string[] {
    return this.streams.filter(({ isOpen }) => isOpen).map(({ runId }) => runId);
  }

  say(
    runId: string,
    ...said: (RunEventKind | ({ readonly kind: RunEventKind } & Readonly<Record<string, unknown>>))[]
  ): void {
    const log = this.#logs.get(runId) ?? [];
    this.#logs.set(runId, log);
    for (const each of said) {
      const { kind, ...more } = typeof each === 'string' ? { kind: each } : each;
      const sequence = log.length;
      const fixture = eventFixture(kind, { position: sequence + 1, sequence });
      const event = { ...fixture, eventId: idAt(sequence), ...more } as PublicEvent;
      log.push(event);
      for (const stream of this.streams) if (stream.isOpen && stream.runId === runId) stream.send(frameOf(event));
    }
  }

  log(runId: string): PublicEvent[] {
    return this.#logs.get(runId) ?? [];
  }

  async #answer(input: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
    const url = new URL(input as string);
    this.asked.push(`${init.method} ${url.pathname}${url.search}`);
    const answer = this.answers.get(`${init.method} ${url.pathname}`);
    if (answer) return answer();
    const [, runId] = /^\/agents\/runs\/([^/]+)\/stream$/.exec(url.pathname) ?? [];
    if (runId !== undefined) return this.#stream(runId, Number(url.searchParams.get('fromSeq')), init.signal);
    return Response.json({ title: 'Nothing here', status: 404, code: 'NOT_FOUND' }, { status: 404 });
  }

  #stream(runId: string, fromSeq: number, signal: AbortSignal | null | undefined): Response {
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        const stream = { runId, fromSeq, isOpen: true, send };
        this.streams.push(stream);
        signal?.addEventListener('abort', () => {
          if (stream.isOpen) controller.error(signal.reason);
          stream.isOpen = false;
        });
        for (const event of this.log(runId).slice(fromSeq)) send(frameOf(event));
      },
      cancel: () => {
        for (const stream of this.streams)
          if (stream.runId === runId && stream.fromSeq === fromSeq) stream.isOpen = false;
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }
}

const frameOf = (event: PublicEvent): string => `id: ${event.sequence}\ndata: ${JSON.stringify(event)}\n\n`;
