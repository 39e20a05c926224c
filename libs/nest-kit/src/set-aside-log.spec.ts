import { describe, expect, it } from '@jest/globals';
import { EventInvalid } from '@millrace/contracts';
import { aRunRef } from '@millrace/testing';
import { PinoLogger } from './pino-logger.js';
import { SetAsideLog } from './set-aside-log.js';

const linesOf = (write: (logger: PinoLogger) => void): unknown[] => {
  const lines: unknown[] = [];
  write(new PinoLogger('spec', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) }));
  return lines;
};

const aSetAside = (error: unknown) => ({
  ...({ loop: 'dispatcher', run: aRunRef, subject: 'tenant.x', place: 7, attempts: 2, error } as const),
});

describe('What is set aside', () => {
  it('is one line that names the run, the place and the cause', () => {
    const lines = linesOf((log) => new SetAsideLog(log).setAside(aSetAside(new EventInvalid('no event'))));
    expect(lines).toEqual([
      expect.objectContaining({
        ...{
          level: 'error',
          service: 'spec',
          loop: 'dispatcher',
          ...aRunRef,
          subject: 'tenant.x',
          place: 7,
          attempts: 2,
        },
        reason: 'EVENT_INVALID',
        msg: `Run ${aRunRef.runId} is set aside by dispatcher, which goes on without it: no event [EVENT_INVALID]`,
      }),
    ]);
    expect(lines[0]).not.toHaveProperty('stack'); // the code says where it comes from
  });

  it('brings the stack of an error nobody expected, and says what belongs to no run', () => {
    const [line] = linesOf((log) =>
      new SetAsideLog(log).setAside({ ...aSetAside(new TypeError('x of undefined')), run: undefined }),
    );
    expect(line).toMatchObject({ reason: 'TypeError', stack: expect.stringContaining('set-aside-log.spec') });
    expect(line).toMatchObject({ msg: expect.stringMatching(/^What belongs to no run is set aside by dispatcher/) });
  });

  it('has a reason although nothing was thrown', () => {
    const [line] = linesOf((log) => new SetAsideLog(log).setAside(aSetAside('no task')));
    expect(line).toMatchObject({ reason: 'PARKED', msg: expect.stringContaining(': no task') });
  });
});

describe('A log line', () => {
  it('has the fields of a message that is an object, its context and its stack', () => {
    const lines = linesOf((log) => {
      log.warn({ message: 'it failed', attempt: 2 }, 'Tasks');
      log.error('plain', 'a stack', 'Tasks');
      log.error(new TypeError('an error'), 'Tasks');
      log.log({ no: 'message' });
    });
    expect(lines).toEqual([
      expect.objectContaining({ level: 'warn', msg: 'it failed', attempt: 2, context: 'Tasks' }),
      expect.objectContaining({ level: 'error', msg: 'plain', stack: 'a stack', context: 'Tasks' }),
      expect.objectContaining({ level: 'error', msg: 'an error', context: 'Tasks' }),
      expect.objectContaining({ level: 'info', msg: '[object Object]' }),
    ]);
  });
});
