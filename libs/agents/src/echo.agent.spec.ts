import { describe, expect, it } from '@jest/globals';
import { echo } from './echo.agent.js';
import { fakeContext } from './fake-context.for-spec.js';
import { runAgent } from './run-agent.for-spec.js';

describe('echo', () => {
  it('says the text back word by word, then as a message, and ends with it', async () => {
    const context = fakeContext();
    expect(await runAgent(echo, { text: 'the mill  turns\n', files: [] }, context)).toEqual({
      text: 'the mill  turns\n',
    });
    expect(context.tokens).toEqual(['the ', 'mill  ', 'turns\n']);
    expect(context.messagesAdded).toEqual(['the mill  turns\n']);
  });

  it('says no token when there is nothing to say: an empty one cannot be stored', async () => {
    const context = fakeContext();
    expect(await runAgent(echo, { text: '' }, context)).toEqual({ text: '' });
    expect(context.tokens).toEqual([]);
  });

  it('refuses an input without a text', async () => {
    expect(echo.inputSchema?.safeParse({ txt: 'a' }).success).toBe(false);
    await expect(runAgent(echo, { txt: 'a' }, fakeContext())).rejects.toThrow('text');
  });

  it('stops in the middle when it is stopped', async () => {
    const stopped = new AbortController();
    const context = fakeContext({ signal: stopped.signal, onToken: () => stopped.abort(new Error('enough')) });
    await expect(runAgent(echo, { text: 'one two three' }, context)).rejects.toThrow('enough');
    expect(context.tokens).toEqual(['one ']);
  });
});
