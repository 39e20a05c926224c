import { describe, expect, it } from '@jest/globals';
import { PlatformError } from '@millrace/kernel';
import { problemOf } from './problem-of.js';

class Coded extends PlatformError {
  readonly redelivery = 'park';

  constructor(readonly code: string) {
    super('PostgreSQL database millrace on db:5432 refused: role "millrace_reader" is not permitted to log in');
  }
}

describe('A problem', () => {
  it.each(['DATABASE_UNAVAILABLE', 'DATABASE_NOT_MIGRATED', 'DATABASE_REFUSED'])(
    'says of %s that lists have to wait, and nothing of our insides',
    (code) => {
      const { headers, ...said } = problemOf(new Coded(code));
      expect(said).toEqual({ status: 503, code, title: 'Lists cannot be answered at present; try again.' });
      expect(headers).toEqual({ 'retry-after': expect.stringMatching(/^[15]$/) });
    },
  );

  it.each(['BLOB_MISSING', 'EVENT_INVALID'])(
    'tells %s from a mistake in the code, and nothing of our insides',
    (code) => {
      expect(problemOf(new Coded(code))).toEqual({
        status: 500,
        code,
        title: expect.stringMatching(/stored of this run/),
      });
    },
  );

  it('says nothing at all of an error nobody thought of', () => {
    const unknown = { status: 500, code: 'INTERNAL_ERROR', title: 'Something went wrong here.' };
    expect(problemOf(new Coded('NOBODY_THOUGHT_OF_IT'))).toEqual(unknown);
    expect(problemOf(new TypeError('x is not a function'))).toEqual(unknown);
  });
});
