import { describe, expect, it } from '@jest/globals';
import type { LlmChunk, LlmMessage, LlmRequest } from '@millrace/ports';
import { llmContract } from '@millrace/testing/suites';
import { LlmScript, scriptedModel, type WrittenScript } from './llm-script.js';
import { ScriptedLlm } from './scripted-llm.js';

const ask = (model: string, ...messages: LlmMessage[]): LlmRequest => ({
  model,
  messages: [{ role: 'user', content: 'What grinds the corn?' }, ...messages],
});
const aSearch = { type: 'toolCall', name: 'search', input: { query: 'mill' } } as const;
const saying = (...says: WrittenScript['turns'][number]['says']): WrittenScript => ({ turns: [{ says }] });
const answer = async (llm: ScriptedLlm, request: LlmRequest, signal = never()): Promise<LlmChunk[]> => {
  const chunks: LlmChunk[] = [];
  for await (const chunk of llm.stream(request, signal)) chunks.push(chunk);
  return chunks;
};
const never = (): AbortSignal => new AbortController().signal;

llmContract('scripted', async () => ({
  llm: new ScriptedLlm({
    speech: { turns: [{ says: ['The millrace drives the mill.'], tokensPerSecond: 1_000 }] },
    toolCall: saying('Let me see. ', aSearch),
    endless: { turns: [{ says: ['and so on'], tokensPerSecond: 0.001 }] },
    overloaded: { turns: [{ says: ['hm'], fails: { afterTokens: 1, message: 'overloaded' } }] },
    refused: { turns: [{ says: [], fails: { message: 'no such model', retryable: false } }] },
  }),
  speech: { request: ask('speech'), text: 'The millrace drives the mill.' },
  toolCall: { request: ask('toolCall'), name: 'search', input: aSearch.input },
  endless: ask('endless'),
  overloaded: ask('overloaded'),
  refused: ask('refused'),
  close: async () => {},
}));

describe('ScriptedLlm', () => {
  it('says texts and thoughts word by word, calls tools, and ends as the script says', async () => {
    const llm = new ScriptedLlm({ miller: saying({ type: 'thought', text: 'They ask. ' }, 'One moment, ', aSearch) });
    expect(await answer(llm, ask('miller'))).toEqual([
      { type: 'thought', text: 'They ' },
      { type: 'thought', text: 'ask. ' },
      { type: 'text', text: 'One ' },
      { type: 'text', text: 'moment, ' },
      { type: 'toolCall', id: 'call_1_3', name: 'search', input: { query: 'mill' } },
      { type: 'end', stopReason: 'tool_use', usage: { inputTokens: 4, outputTokens: 5, model: 'miller' } },
    ]);
  });

  it.each(['one', '  led by spaces', 'two\n\nlines ', '\t'])('loses nothing of %j', async (text) => {
    const chunks = await answer(new ScriptedLlm({ miller: saying(text) }), ask('miller'));
    expect(chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('')).toBe(text);
  });

  it('takes the turn of the conversation it is asked in', async () => {
    const llm = new ScriptedLlm({
      miller: { turns: [{ says: [aSearch] }, { says: ['Water.'], stopReason: 'bored' }] },
    });
    const spoken: LlmMessage = { role: 'assistant', content: [{ ...aSearch, id: 'c1' }] };
    const result: LlmMessage = { role: 'user', content: [{ type: 'toolResult', id: 'c1', output: 'water' }] };
    const second = await answer(llm, ask('miller', spoken, result));
    expect(second).toEqual([{ type: 'text', text: 'Water.' }, expect.objectContaining({ stopReason: 'bored' })]);
    expect(await answer(llm, ask('miller', spoken, result))).toEqual(second);
    const third = answer(llm, ask('miller', spoken, result, spoken, result));
    await expect(third).rejects.toMatchObject({
      redelivery: 'park',
      message: 'Model miller: its script has 2 turns, and this would be turn 3',
    });
  });

  it.each([
    [0, []],
    [2, ['one ', 'two ']],
    [9, ['one ', 'two ', 'three']],
  ])('fails after %i tokens', async (afterTokens, said) => {
    const llm = new ScriptedLlm({ miller: { turns: [{ says: ['one two three'], fails: { afterTokens } }] } });
    const heard: string[] = [];
    const listening = (async () => {
      for await (const chunk of llm.stream(ask('miller'), never())) {
        heard.push(chunk.type === 'text' ? chunk.text : chunk.type);
      }
    })();
    await expect(listening).rejects.toMatchObject({ code: 'LLM_FAILED', redelivery: 'retry' });
    expect(heard).toEqual(said);
  });

  it('fails as often as it is told to, then answers', async () => {
    const llm = new ScriptedLlm({ miller: { turns: [{ says: ['Water.'], fails: { times: 2 } }] } });
    await expect(answer(llm, ask('miller'))).rejects.toThrow('Model miller: The script says that the model fails here');
    await expect(answer(llm, ask('miller'))).rejects.toThrow('fails here');
    expect(await answer(llm, ask('miller'))).toHaveLength(2);
  });

  it('finds a script inside the name of a model', async () => {
    const llm = new ScriptedLlm();
    const chunks = await answer(llm, ask(scriptedModel(saying('Water.'))));
    expect(chunks).toMatchObject([{ text: 'Water.' }, { usage: { model: 'scripted' } }]);
  });

  it('lets a function choose by the request and by how often it was asked', async () => {
    const llm = new ScriptedLlm(({ system }, call) => (call < 3 ? saying(`${system} ${call}`) : undefined));
    const request = { ...ask('miller'), system: 'call' };
    expect((await answer(llm, request)).slice(0, -1)).toMatchObject([{ text: 'call ' }, { text: '1' }]);
    expect((await answer(llm, request)).slice(0, -1)).toMatchObject([{ text: 'call ' }, { text: '2' }]);
    await expect(answer(llm, request)).rejects.toThrow('Model miller: no script was chosen for this request');
  });

  it('counts what it was asked, also what failed or was never read', async () => {
    const llm = new ScriptedLlm({ miller: saying('Water.') });
    await answer(llm, ask('miller'));
    llm.stream(ask('miller'), never());
    await expect(answer(llm, ask('baker'))).rejects.toThrow('Model baker: there is no script for it: there are miller');
    await answer(llm, ask(scriptedModel(saying('Fire.'))));
    expect([llm.callsOf('miller'), llm.callsOf('baker'), llm.callsOf('scripted'), llm.calls]).toEqual([2, 1, 1, 4]);
  });

  it.each([
    ['that is no JSON', 'scripted:{', 'the script in its name is no JSON text'],
    ['without turns', 'scripted:{"turns":[]}', 'turns'],
    ['with a field nobody knows', 'scripted:{"turns":[{"says":[],"tokenPerSecond":1}]}', 'tokenPerSecond'],
  ])('refuses a script %s, for good', async (_, model, problem) => {
    await expect(answer(new ScriptedLlm(), ask(model))).rejects.toMatchObject({
      redelivery: 'park',
      message: expect.stringContaining(problem),
    });
  });

  it('lets others run, and so is stopped in the middle of what it says as fast as it can', async () => {
    const llm = new ScriptedLlm({ miller: saying('word '.repeat(100_000)) });
    const aborted = new AbortController();
    setImmediate(() => aborted.abort('enough'));
    const listening = answer(llm, ask('miller'), aborted.signal);
    await expect(listening).rejects.toMatchObject({ message: 'Model miller was stopped', cause: 'enough' });
  });
});

describe('LlmScript', () => {
  it('is data: what was parsed can be written down and parsed again', () => {
    const script = LlmScript.parse({ turns: [{ says: ['Water.', aSearch], fails: { times: 1 } }] });
    expect(LlmScript.parse(JSON.parse(JSON.stringify(script)))).toEqual(script);
  });
});
