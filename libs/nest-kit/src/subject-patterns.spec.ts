import { describe, expect, it } from '@jest/globals';
import { matches } from './subject-patterns.js';

describe('A pattern', () => {
  it.each([
    ['tenant.*.run.*.RunStarted', 'tenant.A.run.B.RunStarted', true],
    ['tenant.*.run.*.RunStarted', 'tenant.A.run.B.RunFailed', false],
    ['tenant.*.run.*.*', 'tenant.A.run.B.task.C', false],
    ['tenant.>', 'tenant.A.run.B.RunStarted', true],
    ['tenant.>', 'tenant', false],
    ['tenant.A', 'tenant.A.run', false],
    ['>', 'x', true],
  ])('%s, asked for %s, answers %s', (pattern, subject, answer) => {
    expect(matches(pattern, subject)).toBe(answer);
  });
});
