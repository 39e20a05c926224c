import { describe, expect, it } from '@jest/globals';
import { describeFile, Said } from './files.js';

const inline = (text: string, mimeType?: string) => ({
  ...{ data: Buffer.from(text).toString('base64') },
  ...(mimeType === undefined ? {} : { mimeType }),
});

describe('A file, described for a model', () => {
  it.each([
    [
      'by name, type and content when it is text',
      { name: 'a.txt', inlineData: inline('hé', 'text/plain') },
      'a.txt (text/plain, 3 bytes):\nhé',
    ],
    [
      'without its content when it is not',
      { name: 'a.png', mediaType: 'image/png', inlineData: inline('xyz') },
      'a.png (image/png, 3 bytes)',
    ],
    [
      'by where it is stored',
      { name: 'a.pdf', storedData: { handle: 'blob:1', mimeType: 'application/pdf' } },
      'a.pdf (application/pdf, stored as blob:1)',
    ],
    ['as what it is when little is known of it', {}, 'a file without a name (of unknown type, without content)'],
  ])('%s', (_, file, words) => {
    expect(describeFile(file)).toBe(words);
  });

  it('is cut when it is long: a model has better to read', () => {
    const words = describeFile({ inlineData: inline('x'.repeat(100_000), 'text/plain') });
    expect(words.length).toBeLessThan(5_000);
    expect(words).toContain('100000 bytes');
  });
});

describe('What people say', () => {
  it('is refused when a file is no base64, and keeps what else a client sends', () => {
    expect(Said.safeParse({ text: 'a', files: [{ inlineData: { data: '%' } }] }).success).toBe(false);
    expect(Said.parse({ text: 'a', lang: 'en' })).toEqual({ text: 'a', lang: 'en' });
  });
});
