import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { placeIn, runCursor } from './run-cursor.js';

const TENANT = '01JEAAAAAAAAAAAAAAAAAAAAAA';
const PLACE = { createdAt: '2026-01-12T10:00:00.000Z', runId: '01JE0000000000000000000001' };
const cursor = runCursor(TENANT, PLACE);
const invalid = expect.objectContaining({ code: 'CURSOR_INVALID' });

describe('A cursor', () => {
  it('gives its own tenant the place it was made of', () => {
    expect(placeIn(cursor, TENANT)).toEqual(PLACE);
  });

  it('is refused for another tenant', () => {
    expect(() => placeIn(cursor, '01JEBBBBBBBBBBBBBBBBBBBBBB')).toThrow(invalid);
  });

  it('is refused once any part of what it says was changed', () => {
    const [createdAt, runId, seal] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];
    const changed = [
      ['2026-01-12T10:00:00.001Z', runId, seal],
      [createdAt, '01JE0000000000000000000002', seal],
      [createdAt, runId, `${seal?.slice(1)}x`],
      [createdAt, runId],
      [createdAt, runId, seal, 'more'],
      { createdAt, runId, seal },
      null,
    ];
    for (const one of changed) {
      const forged = Buffer.from(JSON.stringify(one)).toString('base64url');
      expect(() => placeIn(forged, TENANT)).toThrow(invalid);
    }
  });

  it('is refused when it is anything else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json().map((json) => Buffer.from(json).toString('base64url')),
        ),
        (other) => {
          expect(() => placeIn(other, TENANT)).toThrow(invalid);
        },
      ),
    );
  });
});
