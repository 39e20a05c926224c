import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fingerprint } from './fingerprint.js';

/** The same text for the same JSON value: keys in order, undefined members left out. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
};

/** Small alphabets, so that values which are nearly the same come often. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 0.5, '', '0', 'a', 'b', 'ab', '[', '}', 'null'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'ab', ''), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('a fingerprint', () => {
  it('is the same for the same value, and only then', () => {
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(json, (value) => {
        const print = fingerprint(value);
        const text = canonical(value);
        expect(seen.get(print) ?? text).toBe(text);
        seen.set(print, text);
        expect(fingerprint(JSON.parse(JSON.stringify(value)))).toBe(print);
      }),
      { numRuns: 2_000 },
    );
    expect(new Set(seen.values()).size).toBe(seen.size);
    expect(seen.size).toBeGreaterThan(300);
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(fingerprint(reversed(value))).toBe(fingerprint(value));
      }),
    );
  });

  it('takes an undefined member as absent and an undefined element as null, as JSON does', () => {
    expect(fingerprint({ a: 1, b: undefined })).toBe(fingerprint({ a: 1 }));
    expect(fingerprint([undefined])).toBe(fingerprint([null]));
    expect(fingerprint(undefined)).toBe(fingerprint(null));
  });

  it.each([
    [['ab'], ['a', 'b']],
    [{ a: 'b' }, ['a', 'b']],
    [{ a: { b: 1 } }, { a: 1, b: 1 }],
    [[], {}],
    [[[]], []],
    [[[], []], [[[]]]],
    ['1', 1],
    ['null', null],
    ['[', []],
    [{ a: null }, {}],
    [
      [1, 2],
      [2, 1],
    ],
    [[1, 2], [12]],
  ])('tells %j from %j', (left, right) => {
    expect(fingerprint(left)).not.toBe(fingerprint(right));
  });

  it('is short whatever the size, and reads a value nested deeper than calls can be', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 200_000; level += 1) deep = level % 2 ? [deep] : { deep };
    expect(fingerprint(deep)).toMatch(/^[0-9a-f]{16}$/);
    expect(fingerprint('x'.repeat(1_000_000))).toMatch(/^[0-9a-f]{16}$/);
  });

  it('reads a member named __proto__ like any other', () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"a":1}}');
    expect(fingerprint(hostile)).not.toBe(fingerprint({}));
    expect(fingerprint(hostile)).toBe(fingerprint(JSON.parse('{"__proto__":{"a":1}}')));
  });
});
