import { describe, expect, it } from '@jest/globals';
import { aTenantId } from '@millrace/contracts';
import { parseCommand } from './arguments.js';

const parse = (...argv: string[]) => parseCommand(argv, {});

describe('parseCommand', () => {
  it('starts in .millrace of the checkout, unless it is told another folder', () => {
    expect(parse('start')).toEqual({
      command: 'start',
      home: expect.stringMatching(/\.millrace$/),
      isDetached: false,
      isCluster: false,
    });
    expect(parse('start', '--detach', '--home', '/x')).toEqual({
      command: 'start',
      home: '/x',
      isDetached: true,
      isCluster: false,
    });
    expect(parse('start', '--cluster')).toMatchObject({ isCluster: true });
    expect(parseCommand(['stop'], { MILLRACE_HOME: '/y' })).toEqual({ command: 'stop', home: '/y' });
  });

  it('takes the claims of a token', () => {
    expect(parse('token', '--tenant', aTenantId, '--sub', 'ada')).toMatchObject({
      claims: { tenantId: aTenantId, subject: 'ada', scope: 'runs:read runs:write' },
    });
  });

  it.each([
    [['token', '--tenant', 'acme'], /^--tenant acme: must be a ULID \(26 upper-case characters\)/],
    [['token', '--sub', ''], /^--sub needs a name/],
    [['start', '--detatch'], /^Unknown option '--detatch'/],
    [['start', 'now'], /^Unexpected argument 'now'/],
    [['restart'], /^There is no command restart/],
    [[], /^Say what to do/],
  ])('refuses %j with the reason and the usage', (argv, reason) => {
    expect(() => parse(...argv)).toThrow(reason);
    expect(() => parse(...argv)).toThrow(/Usage:\n {2}npm start \[-- --detach\] \[--cluster\]/);
  });
});
