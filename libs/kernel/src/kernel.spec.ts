import { describe, expect, it } from '@jest/globals';
import { assertNever, ConfigInvalid } from './index.js';

describe('kernel', () => {
  it('names the case nobody handled', () => {
    expect(() => assertNever({ kind: 'new' } as never)).toThrow('Unhandled case: {"kind":"new"}');
  });

  it('gives every platform error its class name and a stable code', () => {
    const error = new ConfigInvalid('NATS_URL is missing');
    expect(error).toMatchObject({ name: 'ConfigInvalid', code: 'CONFIG_INVALID', redelivery: 'park' });
    expect(error.message).toContain('NATS_URL is missing');
  });
});
