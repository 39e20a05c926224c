import type { LlmContent, LlmRequest } from '@millrace/ports';

type Part =
  | string
  | { readonly type: 'thought'; readonly text: string }
  | { readonly type: 'toolCall'; readonly name: string; readonly input: unknown };

export interface ScriptTurn {
  readonly says: Part[];
  readonly tokensPerSecond?: number;
  readonly fails?: { readonly message: string; readonly retryable: boolean };
}

/** What a model says turn by turn, as the scripted model (adapter-llm-scripted) takes it. */
export interface ModelScript {
  readonly turns: ScriptTurn[];
}

/** Slow enough to be seen, quick enough not to be waited for. */
const TOKENS_PER_SECOND = 100;

/**
 * The script that answers this request: each turn is written when its time has come, from what was said until then.
 * For agents that are to work, and to be tried, without a vendor's key.
 */
export const writeScript = (
  request: LlmRequest,
  ...turns: readonly ((heard: Heard) => ScriptTurn['says'] | ScriptTurn)[]
): ModelScript => {
  const heard = new Heard(request);
  const written = turns.slice(0, heard.turn + 1).map((write) => {
    const turn = write(heard);
    return { tokensPerSecond: TOKENS_PER_SECOND, ...(Array.isArray(turn) ? { says: turn } : turn) };
  });
  return { turns: written };
};

export const thought = (text: string) => ({ type: 'thought', text }) as const;
export const call = (name: string, input: unknown) => ({ type: 'toolCall', name, input }) as const;

/** The conversation as the model is sent it. */
export class Heard {
  constructor(private readonly request: LlmRequest) {}

  /** How often the model has spoken. */
  get turn(): number {
    return this.request.messages.filter(({ role }) => role === 'assistant').length;
  }

  /** What the person said first, without what was attached. */
  get text(): string {
    const [first] = this.parts();
    return first?.type === 'text' ? first.text : '';
  }

  /** The attached files, as they are described. */
  get attached(): string[] {
    const [first] = this.request.messages;
    return partsOf(first?.content ?? [])
      .slice(1)
      .flatMap((part) => (part.type === 'text' ? [part.text] : []));
  }

  /** What the function's calls have come to, in the order they were made. */
  outcomesOf(name: string): { readonly output: unknown; readonly isError: boolean }[] {
    const parts = this.parts();
    return parts
      .filter((part) => part.type === 'toolCall' && part.name === name)
      .flatMap((called) =>
        parts.filter((part) => part.type === 'toolResult' && 'id' in called && part.id === called.id),
      )
      .flatMap((part) => (part.type === 'toolResult' ? [{ output: part.output, isError: part.isError ?? false }] : []));
  }

  /** What the function's last call gave; undefined when it was not called or went wrong. */
  resultOf(name: string): unknown {
    const last = this.outcomesOf(name).at(-1);
    return last?.isError ? undefined : last?.output;
  }

  /** Why the function's last call went wrong. */
  failureOf(name: string): string | undefined {
    const last = this.outcomesOf(name).at(-1);
    return last?.isError ? String(last.output) : undefined;
  }

  private parts(): LlmContent[] {
    return this.request.messages.flatMap(({ content }) => partsOf(content));
  }
}

const partsOf = (content: LlmRequest['messages'][number]['content']): readonly LlmContent[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;
