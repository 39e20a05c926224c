import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { Command, Overwrite, Send } from '@langchain/langgraph';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { decode, encode, fromJson, toJson } from './value-codec.js';

const aKey = fc.oneof(fc.string(), fc.constantFrom('$type', '__proto__', 'constructor', 'lc', 'toJSON', '0'));

const { json, value: anyValue } = fc.letrec<{ json: unknown; value: unknown; message: BaseMessage }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(
      aKey.filter((key) => key !== '$type'),
      tie('json'),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
  message: fc
    .record({ content: fc.string(), id: fc.string(), extra: tie('json') })
    .chain(({ content, id, extra }) =>
      fc.constantFrom<BaseMessage>(
        new HumanMessage({ content, id }),
        new SystemMessage(content),
        new AIMessage({ content, id, tool_calls: [{ id: 'c', name: 't', args: { extra }, type: 'tool_call' }] }),
        new ToolMessage({ content, tool_call_id: 'c', artifact: extra, status: 'error', name: 't' }),
        new ChatMessage({ content, role: 'critic' }),
        new RemoveMessage({ id: id }),
      ),
    ),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(undefined, null, true, Number.NaN, Number.POSITIVE_INFINITY, -0),
    fc.double(),
    fc.bigInt(),
    fc.string(),
    fc.date({ noInvalidDate: true }),
    fc.uint8Array({ maxLength: 8 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(aKey, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    fc.array(fc.tuple(fc.string(), tie('value')), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(fc.string(), { maxLength: 3 }).map((values) => new Set(values)),
    tie('message'),
    tie('value').map((value) => new Overwrite(value)),
    tie('message').map((message) => new Send('node', { message })),
    tie('value').map(
      (value) => new Command({ graph: Command.PARENT, update: { value }, goto: ['a', new Send('b', {})] }),
    ),
  ),
}));

describe('the value codec', () => {
  it('gives back what it was given', () => {
    fc.assert(fc.property(anyValue, (value) => isDeepStrictEqual(decode(encode(value)), value)));
  });

  it('says the same of a value and of what it gave back, so that hashes can be compared', () => {
    fc.assert(fc.property(anyValue, (value) => encode(decode(encode(value))) === encode(value)));
  });

  it('leaves plain data as people wrote it', () => {
    fc.assert(fc.property(json, (value) => isDeepStrictEqual(toJson(value), value)));
  });

  it('leaves alone what it is given, and what it reads', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const stored = toJson(value);
        const before = JSON.stringify(stored);
        fromJson(stored);
        return JSON.stringify(stored) === before && JSON.stringify(toJson(value)) === before;
      }),
    );
  });

  it('writes a message so that people can read it', () => {
    expect(toJson({ messages: [new AIMessage({ content: 'hello', id: 'm1' })] })).toEqual({
      messages: [{ $type: 'message', type: 'ai', content: 'hello', id: 'm1' }],
    });
  });

  it('does not take data for a message of LangChain because it looks like one', () => {
    const lookalike = { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'AIMessage'], kwargs: {} };
    expect(decode(encode(lookalike))).toEqual(lookalike);
  });

  it('stores what has become of a message since it was made', () => {
    const message = new AIMessage({ content: 'draft', id: 'm1' });
    message.content = 'final';
    expect((decode(encode(message)) as AIMessage).content).toBe('final');
  });

  it('stores the chunks of an answer as the whole message they are', () => {
    const calls = [{ type: 'tool_call_chunk' as const, id: 'c1', name: 'add', args: '{"a":1}', index: 0 }];
    const chunk = new AIMessageChunk({ content: '', id: 'm1', tool_call_chunks: calls });
    const stored = decode(encode(chunk)) as AIMessage;
    expect(stored.constructor.name).toBe('AIMessage');
    expect(stored.tool_calls).toEqual([{ type: 'tool_call', id: 'c1', name: 'add', args: { a: 1 } }]);
    expect(encode(stored)).toBe(encode(chunk));
  });

  it('keeps a message as it is when a vendor left tool calls beside it', () => {
    const raw = [{ id: 'c1', type: 'function' as const, function: { name: 'add', arguments: '{}' } }];
    jest.spyOn(console, 'warn').mockImplementation(() => {}); // LangChain advises to upgrade the vendor's package
    const message = new AIMessage({ content: 'x', tool_calls: [], additional_kwargs: { tool_calls: raw } });
    const stored = decode(encode(message)) as AIMessage;
    expect(stored.tool_calls).toEqual([]);
    expect(stored.additional_kwargs).toEqual({ tool_calls: raw });
  });

  it('keeps what an error is called and says', () => {
    const error = Object.assign(new RangeError('too far'), { code: 'E_FAR' });
    expect(decode(encode({ error }))).toMatchObject({
      error: { name: 'RangeError', message: 'too far', code: 'E_FAR' },
    });
  });

  it('keeps the data of an object of any class, and not the class', () => {
    class Document {
      constructor(readonly pageContent: string) {}
    }
    expect(decode(encode(new Document('text')))).toEqual({ pageContent: 'text' });
  });

  it.each([
    ['a function', { deep: [{ call: () => 1 }] }, 'deep.0.call: a function cannot be stored'],
    ['a symbol', { mark: Symbol('x') }, 'mark: a symbol cannot be stored'],
    ['a promise', { later: Promise.resolve(1) }, 'later: an object of class Promise cannot be stored'],
    ['a client', { url: new URL('http://localhost') }, 'url: an object of class URL cannot be stored'],
    ['numbers in a typed array', new Float32Array(2), 'The value: an object of class Float32Array cannot be stored'],
    [
      'a function in a message',
      new ToolMessage({ content: '', tool_call_id: 'c', artifact: { run: () => 1 } }),
      'artifact.run',
    ],
  ])('refuses %s, and says where it is', (_what, value, message) => {
    expect(() => encode(value)).toThrow(message);
  });

  it('refuses a tag it does not know', () => {
    expect(() => fromJson({ $type: 'spaceship' })).toThrow('unknown tag "spaceship"');
  });
});
