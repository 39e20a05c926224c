/** @jest-environment node */
import { describe, expect, it } from '@jest/globals';
import { bundleForBrowser } from '@millrace/testing/browsers';
import { join } from 'node:path';

describe('The hooks in a browser', () => {
  const bundle = bundleForBrowser(join(import.meta.dirname, 'index.ts'), ['react']);
  console.info(
    `@millrace/react with what it uses of the client: ${bundle.minifiedBytes} bytes, ${bundle.gzipBytes} with gzip`,
  );

  it('are made of their own files, the client, and what the contracts have for browsers', () => {
    const strange = bundle.files.filter((file) => !/^libs\/(react|client)\/src\//.test(file));
    expect(strange).toEqual([
      'libs/contracts/src/browser.ts',
      'libs/contracts/src/classification.ts',
      'libs/contracts/src/kinds.ts',
      'libs/contracts/src/wire/public-event.ts',
    ]);
  });

  it('ask for React, and for nothing else', () => {
    expect(bundle.imports).toEqual(['react']);
    expect(bundle.code).not.toMatch(/\bnode:|\brequire\(|\bprocess\./);
  });
});
