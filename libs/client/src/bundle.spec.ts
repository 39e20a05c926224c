import { describe, expect, it } from '@jest/globals';
import { bundleForBrowser } from '@millrace/testing/browsers';
import { join } from 'node:path';

describe('The client in a browser', () => {
  const bundle = bundleForBrowser(join(import.meta.dirname, 'index.ts'));
  console.info(`@millrace/client: ${bundle.minifiedBytes} bytes, ${bundle.gzipBytes} with gzip`);

  it('is made of its own files and of what the contracts have for browsers, and of nothing else', () => {
    expect(bundle.files.filter((file) => !file.startsWith('libs/client/src/'))).toEqual([
      'libs/contracts/src/browser.ts',
      'libs/contracts/src/classification.ts',
      'libs/contracts/src/kinds.ts',
      'libs/contracts/src/wire/public-event.ts',
    ]);
  });

  it('asks for nothing that is not in it', () => {
    expect(bundle.imports).toEqual([]);
    expect(bundle.code).not.toMatch(/\bnode:|\brequire\(|\bprocess\./);
  });

  it('stays small', () => {
    expect(bundle.gzipBytes).toBeLessThan(15_000);
  });
});
