import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';

/** Adds twice, breaks once, and is done: what it says follows from how many tools have answered. */
export class ScriptedModel extends BaseChatModel {
  constructor() {
    super({});
  }

  _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = answerTo(messages);
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text, tool_calls: calls = [] } = answerTo(messages);
    for (const word of text.split(/(?<= )/)) {
      const chunk = new ChatGenerationChunk({ text: word, message: new AIMessageChunk(word) });
      yield chunk;
      await run?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk });
    }
    const tool_call_chunks = calls.map(({ id, name, args }, index) => ({
      ...{ type: 'tool_call_chunk' as const, index, name, args: JSON.stringify(args) },
      ...(id === undefined ? {} : { id }),
    }));
    if (calls.length > 0) {
      yield new ChatGenerationChunk({ text: '', message: new AIMessageChunk({ content: '', tool_call_chunks }) });
    }
  }
}

const answerTo = (messages: readonly BaseMessage[]): AIMessage => {
  const answered = messages.filter(({ type }) => type === 'tool').length;
  if (answered === 0) return new AIMessage({ content: 'let me see', tool_calls: [call(1, 2), call(3, 4)] });
  if (answered > 2) return new AIMessage(`done after ${answered}`);
  return new AIMessage({ content: '', tool_calls: [{ id: 'c9', name: 'boom', args: {}, type: 'tool_call' }] });
};

const call = (a: number, b: number) => ({ id: `c${a}`, name: 'add', args: { a, b }, type: 'tool_call' as const });
