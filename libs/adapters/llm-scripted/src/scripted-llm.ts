import { LlmFailed, LlmPort, type LlmChunk, type LlmRequest } from '@millrace/ports';
import { z } from 'zod';
import { LlmScript, scriptIn, type ScriptTurn, type WrittenScript } from './llm-script.js';
import { Pace } from './pace.js';
import { tokensOf, wordsIn, type Token } from './tokens.js';

/** By the model's name, or by whatever a function makes of the request; `call` counts this model's calls from 1. */
export type Scripts =
  Readonly<Record<string, WrittenScript>> | ((request: LlmRequest, call: number) => WrittenScript | undefined);

/** A model that says what a script tells it to: for tests, benchmarks, and a first run without a vendor's key. */
export class ScriptedLlm extends LlmPort {
  readonly #scripts: Scripts;
  readonly #calls = new Map<string, number>();
  readonly #failures = new Map<string, number>();

  constructor(scripts: Scripts = {}) {
    super();
    this.#scripts = scripts;
  }

  /** How often any model was asked: what a run that is continued must not make larger. */
  get calls(): number {
    return [...this.#calls.values()].reduce((sum, calls) => sum + calls, 0);
  }

  callsOf(model: string): number {
    return this.#calls.get(labelOf(model)) ?? 0;
  }

  /** Counts when it is called, not when the answer is read: a vendor would charge for it. */
  stream(request: LlmRequest, signal: AbortSignal): AsyncIterable<LlmChunk> {
    const call = this.callsOf(request.model) + 1;
    this.#calls.set(labelOf(request.model), call);
    return this.answer(request, call, signal);
  }

  private async *answer(request: LlmRequest, call: number, signal: AbortSignal): AsyncGenerator<LlmChunk> {
    unlessAborted(request, signal);
    const spoken = request.messages.filter(({ role }) => role === 'assistant').length;
    const { turns } = this.scriptFor(request, call);
    const turn = turns[spoken];
    if (!turn) throw refusal(request, `its script has ${turns.length} turns, and this would be turn ${spoken + 1}`);

    const pace = new Pace(turn.tokensPerSecond);
    const tokens = tokensOf(turn, spoken);
    for (const [index, token] of tokens.entries()) {
      if (turn.fails?.afterTokens === index) this.fail(request, turn.fails, spoken);
      await pace.next(signal).catch((error: unknown) => {
        unlessAborted(request, signal);
        throw error;
      });
      unlessAborted(request, signal);
      yield token;
    }
    if (turn.fails && turn.fails.afterTokens >= tokens.length) this.fail(request, turn.fails, spoken);
    yield endOf(turn, tokens, request);
  }

  private scriptFor(request: LlmRequest, call: number): LlmScript {
    const written = writtenIn(request) ?? this.chosen(request, call);
    const parsed = LlmScript.safeParse(written);
    if (!parsed.success) throw refusal(request, `its script cannot be used: ${z.prettifyError(parsed.error)}`);
    return parsed.data;
  }

  private chosen(request: LlmRequest, call: number): WrittenScript {
    const scripts = this.#scripts;
    if (typeof scripts !== 'function') {
      const script = Object.hasOwn(scripts, request.model) ? scripts[request.model] : undefined;
      if (script) return script;
      throw refusal(request, `there is no script for it: there are ${Object.keys(scripts).join(', ') || 'none'}`);
    }
    const script = scripts(request, call);
    if (!script) throw refusal(request, 'no script was chosen for this request');
    return script;
  }

  /** Returns when the script has failed often enough. */
  private fail(request: LlmRequest, fails: NonNullable<ScriptTurn['fails']>, turn: number): void {
    if (fails.times !== undefined) {
      const key = `${turn} ${request.model}`;
      const failures = this.#failures.get(key) ?? 0;
      if (failures >= fails.times) return;
      this.#failures.set(key, failures + 1);
    }
    throw new LlmFailed(`Model ${labelOf(request.model)}: ${fails.message}`, fails.retryable ? 'retry' : 'park');
  }
}

/** Models that carry their script count as one: their names are long, and often there is one for each run. */
const labelOf = (model: string): string => (scriptIn(model) === undefined ? model : 'scripted');

const writtenIn = (request: LlmRequest): unknown => {
  const text = scriptIn(request.model);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refusal(request, 'the script in its name is no JSON text', { cause });
  }
};

const endOf = (turn: ScriptTurn, tokens: readonly Token[], request: LlmRequest): LlmChunk => ({
  type: 'end',
  stopReason: turn.stopReason ?? (tokens.at(-1)?.type === 'toolCall' ? 'tool_use' : 'end_turn'),
  usage: {
    inputTokens: [request.system ?? '', ...request.messages.map(({ content }) => content)].reduce(countWords, 0),
    outputTokens: tokens.length,
    model: labelOf(request.model),
  },
});

const countWords = (sum: number, content: unknown): number =>
  sum + wordsIn(typeof content === 'string' ? content : JSON.stringify(content)).length;

const unlessAborted = (request: LlmRequest, signal: AbortSignal): void => {
  if (!signal.aborted) return;
  throw new LlmFailed(`Model ${labelOf(request.model)} was stopped`, 'retry', { cause: signal.reason });
};

const refusal = (request: LlmRequest, problem: string, options?: ErrorOptions): LlmFailed =>
  new LlmFailed(`Model ${labelOf(request.model)}: ${problem}`, 'park', options);
