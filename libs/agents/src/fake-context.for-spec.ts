import { NodeSuspension, type LlmAnswer, type NodeContext } from '@millrace/agent-sdk';
import { aRequestId, aRunId, aTaskKey, aTenantId } from '@millrace/contracts';
import type { LlmRequest } from '@millrace/ports';

export interface FakeContext extends NodeContext {
  readonly tokens: string[];
  readonly messagesAdded: unknown[];
  /** The keys of the effects that were done. */
  readonly effects: string[];
  readonly prompts: (string | undefined)[];
}

export interface Given {
  readonly attempt?: number;
  readonly signal?: AbortSignal;
  readonly onToken?: () => void;
  /** What people answer. Nobody does without. */
  readonly answers?: readonly string[];
  /** Effects of earlier attempts: given back, not done again. */
  readonly recorded?: Readonly<Record<string, unknown>>;
  readonly llmSays?: string;
  /** In place of `llmSays`: what the model says to this request. */
  readonly llm?: (request: LlmRequest) => Partial<LlmAnswer>;
  readonly tool?: NodeContext['tool'];
}

/** Keeps what a node says and does; answers and remembers what it is told to. */
export const fakeContext = (given: Given = {}): FakeContext => {
  const { attempt = 1, answers = [], recorded = {}, llmSays = '', signal = new AbortController().signal } = given;
  const tokens: string[] = [];
  const messagesAdded: unknown[] = [];
  const effects: string[] = [];
  const prompts: (string | undefined)[] = [];
  const unused = (): never => {
    throw new TypeError('none of the agents here does this');
  };
  return {
    ...{ tokens, messagesAdded, effects, prompts, signal, attempt },
    ...{ agentId: 'spec', node: 'step', taskKey: aTaskKey, iteration: 1, tenantId: aTenantId, runId: aRunId },
    emit: (said) => {
      if (said.kind !== 'TokenDelta') return unused();
      tokens.push(said.text);
      given.onToken?.();
    },
    message: (content) => void messagesAdded.push(content),
    step: async (key, effect) => {
      if (key in recorded) return recorded[key] as never;
      effects.push(key);
      return effect();
    },
    suspend: async (request) => {
      prompts.push('prompt' in request ? request.prompt : undefined);
      const answer = answers[prompts.length - 1];
      if (answer === undefined) throw new NodeSuspension([aRequestId]);
      return { text: answer } as never;
    },
    llm: async (request) => {
      const said = given.llm?.(request) ?? { text: llmSays };
      const answer = { text: '', toolCalls: [], stopReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 1 } };
      if (said.text) tokens.push(...said.text.split(/(?<=\s)/));
      return { ...answer, ...said };
    },
    tool: given.tool ?? unused,
    ...{ log: unused, progress: unused, subagent: unused, switchPolicy: unused, changeAgent: unused },
    ...{ messages: unused, lastMessages: unused, partnerMessage: unused },
  };
};
