import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type SseFrame, SseParser } from './sse-parser.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = (...chunks: (string | Uint8Array)[]): SseFrame[] => {
  const parser = new SseParser();
  return chunks.flatMap((chunk) => parser.push(typeof chunk === 'string' ? bytes(chunk) : chunk));
};
const message = (data: string, more: Partial<SseFrame> = {}): SseFrame => ({ event: 'message', data, ...more });

/** The whole text at once, field by field as the standard tells it: slow, and too simple to be wrong in the same way. */
const byTheBook = (text: string): SseFrame[] => {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  lines.pop(); // no line end, no line
  const frames: SseFrame[] = [];
  let block: [field: string, value: string][] = [];
  for (const line of lines) {
    if (line !== '') {
      const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
      block.push([field, value]);
      continue;
    }
    const last = (name: string) => block.filter(([field]) => field === name).at(-1)?.[1];
    const data = block.filter(([field]) => field === 'data').map(([, value]) => value);
    const ids = block.filter(([field, value]) => field === 'id' && !value.includes('\0'));
    const id = ids.at(-1)?.[1];
    if (data.length > 0) {
      frames.push({ event: last('event') || 'message', data: data.join('\n'), ...(id === undefined ? {} : { id }) });
    }
    block = [];
  }
  return frames;
};

const chunksOf = (all: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
  const at = [0, ...cuts.map((cut) => cut % (all.length + 1)).sort((a, b) => a - b), all.length];
  return at.slice(1).map((end, index) => all.subarray(at[index], end));
};

const anEnd = fc.constantFrom('\n', '\r', '\r\n');
const aValue = fc.oneof(
  fc.constantFrom('', ' ', '7', 'a: b', '\0', 'héllo', '漢字', '👩‍🚀', '{"text":"x"}'),
  fc.string({ unit: fc.constantFrom('a', ' ', ':', '\0', 'é', '😀', '\uFEFF'), maxLength: 8 }),
);
const aLine = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 6, arbitrary: fc.tuple(fc.constantFrom('data', 'id', 'event', 'retry'), aValue).map((f) => f.join(': ')) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('data', 'id', 'event', 'Data', 'x'), aValue).map((f) => f.join(':')),
  },
  { weight: 1, arbitrary: fc.constantFrom('data', 'id', ': comment', ':', 'nonsense') },
);
const aStream = fc
  .tuple(fc.constantFrom('', '\uFEFF'), fc.array(fc.tuple(aLine, anEnd), { maxLength: 30 }), aLine)
  .map(([mark, lines, rest]) => mark + lines.map(([line, end]) => line + end).join('') + rest);

describe('SseParser', () => {
  it('gives the same frames however the bytes are cut, and those the standard says', () => {
    fc.assert(
      fc.property(aStream, fc.array(fc.nat(), { maxLength: 40 }), (text, cuts) => {
        expect(parse(...chunksOf(bytes(text), cuts))).toEqual(byTheBook(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives the same frames byte by byte', () => {
    fc.assert(
      fc.property(aStream, (text) => {
        const all = bytes(text);
        expect(parse(...Array.from(all, (_, at) => all.subarray(at, at + 1)))).toEqual(byTheBook(text));
      }),
    );
  });

  it.each<[string, string, SseFrame[]]>([
    ['one event', 'id: 0\ndata: {"a":1}\n\n', [message('{"a":1}', { id: '0' })]],
    ['a name', 'event: token\ndata: x\n\n', [{ event: 'token', data: 'x' }]],
    ['data over several lines', 'data: a\ndata: b\ndata:\n\n', [message('a\nb\n')]],
    [
      'one space after the colon, and no more, as not part of the value',
      'data:  a\n\ndata:b\n\n',
      [message(' a'), message('b')],
    ],
    ['empty data', 'data\n\n', [message('')]],
    ['comments and unknown fields as nothing', ': beat\n\nfoo: bar\n\ndata: a\n: beat\ndata: b\n\n', [message('a\nb')]],
    ['an id with a NUL as no id', 'id: 1\nid: \u0000\ndata: a\n\n', [message('a', { id: '1' })]],
    ['an empty id as an id', 'id\ndata: a\n\n', [message('a', { id: '' })]],
    ['a name without data as nothing, for the next one too', 'event: x\n\ndata: a\n\n', [message('a')]],
    ['a mark at the very start as nothing, and elsewhere as text', '\uFEFFdata: \uFEFFa\n\n', [message('\uFEFFa')]],
    ['a frame nobody closed as nothing', 'data: a\n\ndata: b\n', [message('a')]],
  ])('takes %s', (_, text, frames) => {
    expect(parse(text)).toEqual(frames);
  });

  it('gives a frame out as soon as its empty line is there, also when that could be half of a CRLF', () => {
    const parser = new SseParser();
    expect(parser.push(bytes('data: a\r\n\r'))).toEqual([message('a')]);
    expect(parser.push(bytes('\ndata: b\r\n\r\n'))).toEqual([message('b')]);
  });

  it('remembers what clients shall wait, when it is a number', () => {
    const parser = new SseParser();
    parser.push(bytes('retry: soon\nretry: -1\nretry: 1.5\n\n'));
    expect(parser.retryMs).toBeUndefined();
    parser.push(bytes('retry: 2500\n'));
    expect(parser.retryMs).toBe(2_500);
  });
});
