import { describe, expect, it } from '@jest/globals';
import { mayHavePrototypeKey, prototypeKeyIn } from './prototype-keys.js';

const found = (text: string, levels = 100): string | undefined =>
  mayHavePrototypeKey(Buffer.from(text)) ? prototypeKeyIn(JSON.parse(text), levels) : undefined;

describe('A key that JavaScript gives a meaning to', () => {
  it.each([
    ['{"__proto__":{}}', '__proto__'],
    ['{"a":{"b":[0,{"__proto__":1}]}}', 'a.b.1.__proto__'],
    ['{"\\u005f\\u005fproto\\u005f_":1}', '__proto__'],
    ['{"constructor":{"prototype":{}}}', 'constructor.prototype'],
    ['[{"c\\u006fnstructor":{"prototype":null}}]', '0.constructor.prototype'],
  ])('is found in %s', (text, path) => {
    expect(found(text)).toBe(path);
  });

  it.each([
    '{"constructor":"Brunel","prototype":"the second"}',
    '{"a":"__proto__","b":"\\u005f"}',
    '{"constructor":{"name":"Brunel"}}',
    'null',
    '1',
  ])('is not found in %s', (text) => {
    expect(found(text)).toBeUndefined();
  });

  it('is looked for as deep as it is told, however deep a value is', () => {
    const deep = `${'['.repeat(50_000)}{"__proto__":1}${']'.repeat(50_000)}`;
    expect(found(deep)).toBeUndefined();
    expect(found('[[{"__proto__":1}]]', 2)).toBe('0.0.__proto__');
    expect(found('[[{"__proto__":1}]]', 1)).toBeUndefined();
  });
});
