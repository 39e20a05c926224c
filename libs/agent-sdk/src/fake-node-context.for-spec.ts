import { aRequestId, aRunId, aTaskKey, aTenantId } from '@millrace/contracts';
import type { Emitted, LlmAnswer, NodeContext } from './node-context.js';
import { NodeSuspension } from './suspension.js';

export interface FakeNodeContext extends NodeContext {
  /** What the node said and asked for, in order. */
  readonly said: unknown[];
}

/** A context that writes down what a node does with it and answers what it is told to. */
export const fakeNodeContext = (given: { answers?: unknown[]; llmSays?: string } = {}): FakeNodeContext => {
  const said: unknown[] = [];
  const answers = [...(given.answers ?? [])];
  const text = given.llmSays ?? '';
  const llmAnswer: LlmAnswer = {
    text,
    toolCalls: [],
    stopReason: 'end_turn',
    usage: { inputTokens: 1, outputTokens: 1 },
  };
  const speaker = { agentId: 'echo', node: 'plan', taskKey: aTaskKey, iteration: 1, attempt: 1 };
  const emit = (event: Emitted) => void said.push(event);
  return {
    ...speaker,
    tenantId: aTenantId,
    runId: aRunId,
    signal: new AbortController().signal,
    said,
    emit,
    log: (level, message) => emit({ kind: 'LogWritten', level, message, source: '[Agent]' }),
    progress: (message) => emit({ kind: 'ProgressReported', message }),
    message: (content) => void said.push({ kind: 'MessageAdded', content }),
    llm: async (request, { shown = true } = {}) => {
      said.push({ kind: 'ModelRequested', model: request.model });
      if (shown) for (const word of text.split(/(?<=\s)/)) emit({ kind: 'TokenDelta', text: word });
      return llmAnswer;
    },
    tool: async (tool, input) => {
      said.push({ kind: 'ToolRequested', tool, input });
      return 'done';
    },
    step: async (key, effect) => {
      const value = await effect();
      said.push({ kind: 'EffectRecorded', key, value });
      return value;
    },
    suspend: async (request) => {
      said.push({ kind: 'InputRequested', request });
      if (answers.length === 0) throw new NodeSuspension([aRequestId]);
      return answers.shift() as never;
    },
    subagent: (subagentId) => ({
      progress: (json) => void said.push({ kind: 'SubagentProgressed', subagentId, json }),
      fail: (error) => void said.push({ kind: 'SubagentFailed', subagentId, error }),
      finish: (json) => void said.push({ kind: 'SubagentFinished', subagentId, json }),
    }),
    switchPolicy: async (toPolicy) => void said.push({ kind: 'PolicySwitched', toPolicy }),
    changeAgent: (toAgentId) => void said.push({ kind: 'AgentChanged', toAgentId }),
    messages: async () => [],
    lastMessages: async () => [],
    partnerMessage: async () => ({ from: 'critic', role: 'agent', content: 'shorter', round: 1 }),
  };
};
