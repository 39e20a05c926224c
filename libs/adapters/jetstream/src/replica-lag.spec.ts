import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RunId, TenantId } from '@millrace/contracts';
import { LastWritten } from './replica-lag.js';

const run = {
  tenantId: TenantId.parse('01JD0000000000000000000001'),
  runId: RunId.parse('01JD0000000000000000000002'),
};

describe('LastWritten', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('knows the last place a run was written at, and nothing of other runs', () => {
    const written = new LastWritten();
    written.note(run, 7);
    written.note(run, 9);
    expect(written.of(run)).toBe(9);
    expect(written.of({ ...run, tenantId: TenantId.parse('01JD0000000000000000000003') })).toBe(0);
  });

  it('knows it for ten seconds at least, and forgets it within twenty', () => {
    const written = new LastWritten();
    written.note(run, 7);
    jest.advanceTimersByTime(10_000);
    expect(written.of(run)).toBe(7);
    jest.advanceTimersByTime(10_000);
    expect(written.of(run)).toBe(0);
  });

  it('keeps no timer once it has nothing to forget', () => {
    const written = new LastWritten();
    written.note(run, 7);
    jest.advanceTimersByTime(60_000);
    expect(jest.getTimerCount()).toBe(0);
    written.note(run, 8);
    expect(written.of(run)).toBe(8);
  });
});
