import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { beginSse, type Handler, json, problem } from '../run-server.for-spec.js';
import type { AgentEvent } from './agent-events.js';

/** What the run says next; or, after a question, what it says to the answer. */
type Step = readonly AgentEvent[] | ((answer: unknown) => readonly AgentEvent[]);

const USAGE = { inputTokens: 1, outputTokens: 2 };
export const completed = (result: unknown): AgentEvent[] => [
  { type: 'complete', result, summary: '', sources: [], usage: USAGE },
  { type: 'finish' },
];

/**
 * One run in the agent dialect, as a server tells it: each step is an event of the log with its frames, the last of
 * which has the id. It stops after a question until that is answered.
 */
export class PlayedRun {
  readonly log: AgentEvent[][] = [];
  readonly answers: unknown[] = [];
  /** Ends a connection after so many characters, as often as there are numbers. */
  readonly cuts: number[] = [];
  readonly readers = new Set<ServerResponse>();
  #open: string | undefined;

  constructor(
    readonly runId: string,
    private readonly steps: Step[],
  ) {
    this.#play();
  }

  readonly handle: Handler = ({ method, path, query, body }, response) => {
    if (method === 'POST' && path === '/api/agent/run') return json(response, 201, { runId: this.runId });
    if (path === `/agents/runs/${this.runId}`) {
      return json(response, 200, { openInputs: this.#open ? [{ requestId: this.#open }] : [] });
    }
    if (path.endsWith('/events')) return this.#stream(Number(query['fromSeq']), response);
    if (path.endsWith('/abort')) {
      const aborted: AgentEvent = { type: 'error', message: 'stopped', code: 'CANCELED', aborted: true };
      this.#say([aborted, { type: 'finish' }]);
      return json(response, 200, { status: 'CANCELED_REQUESTED' });
    }
    const { requestId, response: answer } = body as { requestId: string; response: unknown };
    if (requestId !== this.#open) return json(response, 409, problem(409, 'INPUT_ALREADY_ANSWERED'));
    this.answer(answer);
    return json(response, 200, { status: 'RUNNING' });
  };

  /** As if another client had. */
  answer(answer: unknown): void {
    const requestId = this.#open as string;
    this.#open = undefined;
    this.answers.push(answer);
    this.#say([{ type: 'functionCallUpdate', callId: requestId, requestId, status: 'answered' }]);
    this.#play(answer);
  }

  /** Resolves when somebody reads it. */
  async read(): Promise<void> {
    while (this.readers.size === 0) await new Promise(setImmediate);
  }

  #play(answer?: unknown): void {
    for (let step = this.steps.shift(); step; step = this.steps.shift()) {
      const events = typeof step === 'function' ? step(answer) : step;
      const last = events.at(-1);
      if (last && 'requestId' in last && last.type !== 'functionCallUpdate') this.#open = last.requestId;
      this.#say([...events]);
      if (this.#open) return;
    }
  }

  #say(events: AgentEvent[]): void {
    this.log.push(events);
    for (const reader of this.readers) reader.write(this.#frames(this.log.length - 1));
  }

  #frames(at: number): string {
    const events = this.log[at] ?? [];
    const id = (index: number) => (index === events.length - 1 ? `id: ${at}\n` : '');
    return events.map((event, index) => `${id(index)}data: ${JSON.stringify(event)}\n\n`).join('');
  }

  #stream(fromSeq: number, response: ServerResponse): void {
    beginSse(response);
    const text = this.log.map((_, at) => (at >= fromSeq ? this.#frames(at) : '')).join('');
    const cut = this.cuts.shift();
    if (cut !== undefined) return void response.write(text.slice(0, cut), () => response.destroy());
    response.write(text);
    this.readers.add(response);
    void once(response, 'close').then(() => this.readers.delete(response));
  }
}
