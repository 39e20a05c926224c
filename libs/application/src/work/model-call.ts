import type { LlmAnswer } from '@millrace/agent-sdk';
import { LlmFailed, type LlmPort, type LlmRequest } from '@millrace/ports';
import type { Speaker } from './durable-context.js';
import type { Words } from './said-before.js';
import type { Attempt } from './attempt.js';

interface ModelCall {
  readonly callId: string;
  readonly request: LlmRequest;
  readonly shown: boolean;
}

interface ModelCallParts {
  readonly attempt: Attempt;
  readonly llm: LlmPort;
  readonly speaker: Speaker;
  readonly say: (fact: Words) => void;
}

/** The recorded answer, or a new one: its tokens shown as they come, the whole of it stored before it is given. */
export async function callModel(call: ModelCall, parts: ModelCallParts): Promise<LlmAnswer> {
  const { callId, request } = call;
  const { attempt, speaker, say } = parts;
  const recorded = attempt.journal.model(callId);
  if (recorded) return { ...(recorded.content as Content), usage: recorded.usage, stopReason: recorded.stopReason };

  const { model, messages, tools = [] } = request;
  const summary = { messages: messages.length, tools: tools.map(({ name }) => name) };
  attempt.say({ kind: 'ModelRequested', ...speaker, callId, model, request: summary });
  let text = '';
  let thinking = '';
  const toolCalls: Content['toolCalls'][number][] = [];
  for await (const chunk of parts.llm.stream(request, attempt.signal)) {
    switch (chunk.type) {
      case 'text':
        text += chunk.text;
        if (call.shown && chunk.text !== '') say({ kind: 'TokenDelta', ...speaker, text: chunk.text });
        break;
      case 'thought':
        thinking += chunk.text;
        if (call.shown && chunk.text !== '') say({ kind: 'ThoughtDelta', ...speaker, text: chunk.text });
        break;
      case 'toolCall':
        toolCalls.push(chunk);
        break;
      case 'end': {
        const { usage, stopReason } = chunk;
        const content: Content = { text, toolCalls, ...(thinking === '' ? {} : { thinking }) };
        const fact = { kind: 'ModelResponded', ...speaker, callId, model, content, usage, stopReason } as const;
        await attempt.write({ kind: 'Say', ...attempt.ref, fact });
        return { ...content, usage, stopReason };
      }
    }
  }
  throw new LlmFailed(`Model ${model} stopped without an end`, 'retry');
}

type Content = Pick<LlmAnswer, 'text' | 'thinking' | 'toolCalls'>;
