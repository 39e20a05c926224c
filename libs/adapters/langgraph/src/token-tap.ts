import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { Serialized } from '@langchain/core/load/serializable';

const NO_STREAM = 'langsmith:nostream';

/** Hears the tokens of every model a body calls, in their order, except of those that are to be silent. */
export class TokenTap extends BaseCallbackHandler {
  name = 'MillraceTokenTap';
  override awaitHandlers = true;
  /** Makes models stream that are only asked to invoke. */
  lc_prefer_streaming = true;
  readonly #silent = new Set<string>();

  constructor(private readonly onToken: (text: string) => void) {
    super();
  }

  override handleChatModelStart(
    _model: Serialized,
    _messages: unknown,
    runId: string,
    _parentRunId?: string,
    _extra?: unknown,
    tags?: string[],
  ): void {
    if (tags?.includes(NO_STREAM)) this.#silent.add(runId);
  }

  override handleLLMStart(
    model: Serialized,
    prompts: string[],
    runId: string,
    parentRunId?: string,
    extra?: unknown,
    tags?: string[],
  ): void {
    this.handleChatModelStart(model, prompts, runId, parentRunId, extra, tags);
  }

  override handleLLMNewToken(text: string, _index: unknown, runId: string): void {
    if (text !== '' && !this.#silent.has(runId)) this.onToken(text);
  }
}
