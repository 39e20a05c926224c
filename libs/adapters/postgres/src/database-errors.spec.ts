import { describe, expect, it } from '@jest/globals';
import { PositionMoved, translateDatabaseError } from './database-errors.js';

const failure = (code: string, message = 'it failed'): Error => Object.assign(new Error(message), { code });
const translate = (cause: unknown) => translateDatabaseError(cause, 'PostgreSQL database app on db:5432');

describe('translateDatabaseError', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', '08006', '57P01', '57P03', '53300', '40001', '40P01'])(
    'takes %s for an outage that passes',
    (code) => {
      expect(translate(failure(code))).toMatchObject({ code: 'DATABASE_UNAVAILABLE', redelivery: 'retry' });
    },
  );

  it('takes an error without any code for an outage: the client has lost its connection', () => {
    expect(translate(new Error('Connection terminated unexpectedly'))).toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  });

  it.each(['23505', '42501', '28P01', 'P0001', 'XX000'])('takes %s for a refusal', (code) => {
    expect(translate(failure(code))).toMatchObject({ code: 'DATABASE_REFUSED', redelivery: 'park' });
  });

  it('names the database and keeps the cause', () => {
    const cause = failure('57P03', 'the database system is starting up\nand more');
    const { message } = translate(cause);
    expect(message).toBe('PostgreSQL database app on db:5432 is not available: the database system is starting up');
    expect(translate(cause).cause).toBe(cause);
  });

  it('says what to do when nobody is there', () => {
    expect(translate(failure('ECONNREFUSED')).message).toMatch(/it failed; start it, or correct DATABASE_URL$/);
  });

  it('says what every address answered', () => {
    const cause = Object.assign(new AggregateError([new Error('refused ::1'), new Error('refused 127.0.0.1')]), {
      code: 'ECONNREFUSED',
    });
    expect(translate(cause).message).toMatch(/: refused ::1, refused 127.0.0.1; start it/);
  });

  it('leaves an error alone that is ours already', () => {
    const ours = new PositionMoved('moved');
    expect(translate(ours)).toBe(ours);
  });
});
