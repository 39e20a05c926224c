import { describe, expect, it } from '@jest/globals';
import { inputChecker } from './json-schema-check.js';

const problems = (schema: object, value: unknown) => inputChecker(schema as Record<string, unknown>)!(value);
const text = { type: 'object', properties: { text: { type: 'string', minLength: 1 } }, required: ['text'] };

describe('An input that is checked', () => {
  it('is fine when its schema takes it', () => {
    expect(problems(text, { text: 'hello', more: 1 })).toEqual([]);
    expect(problems({}, null)).toEqual([]);
  });

  it.each([
    ['something missing', text, {}, 'input.text', 'is missing: it must be a string'],
    ['all of it missing', text, undefined, 'input', 'is missing: it must be an object'],
    ['nothing in place of it', text, null, 'input', 'Invalid input: expected object, received null'],
    ['another type', text, { text: 1 }, 'input.text', 'Invalid input: expected string, received number'],
    ['too little', text, { text: '' }, 'input.text', 'Too small: expected string to have >=1 characters'],
    [
      'something unknown',
      { type: 'object', properties: {}, additionalProperties: false },
      { n: 1 },
      'input.n',
      'is not known here: leave it out',
    ],
    [
      'a mistake deep in one of several shapes',
      { anyOf: [{ type: 'string' }, { type: 'object', properties: { a: { items: text, type: 'array' } } }] },
      { a: [{ text: 'x' }, {}] },
      'input.a.1.text',
      'is missing: it must be a string',
    ],
    ['none of several shapes', { anyOf: [{ type: 'string' }, { type: 'number' }] }, true, 'input', 'Invalid input'],
  ])('is told the field and the fix: %s', (_, schema, value, field, message) => {
    expect(problems(schema, value)).toEqual([{ field, message }]);
  });

  it('is not refused for the format of a text, also not where a field has that name', () => {
    const schema = {
      type: 'object',
      properties: { format: { type: 'string', format: 'uri' }, at: { format: 'date' } },
    };
    expect(problems(schema, { format: 'no address', at: 'never' })).toEqual([]);
    expect(problems(schema, { format: 1 })).toHaveLength(1);
  });

  it('is told at most twenty problems', () => {
    const schema = { type: 'array', items: { type: 'string' } };
    expect(
      problems(
        schema,
        Array.from({ length: 100 }, () => 1),
      ),
    ).toHaveLength(20);
  });

  it('is not checked by a schema that cannot be followed', () => {
    expect(inputChecker({ $ref: 'https://example.com/elsewhere.json' })).toBeUndefined();
    expect(inputChecker({ type: 'string', pattern: '(' })).toBeUndefined();
  });
});
