import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigInvalid } from '@millrace/kernel';
import { OutageLog } from './outage-log.js';

let lines: string[];
let outages: OutageLog;
beforeEach(() => {
  lines = [];
  const say = (level: string) => (message: unknown) => void lines.push(`${level} ${String(message)}`);
  outages = new OutageLog({ warn: say('warn'), error: say('error') });
});

describe('OutageLog', () => {
  it('says once that something fails, however often it is tried', () => {
    for (let attempt = 0; attempt < 3; attempt++) outages.failed(new Error('down'));
    expect(lines).toEqual(['error Error: down; trying again']);
  });

  it('says it again when it has worked in between', () => {
    outages.failed(new Error('down'));
    outages.recovered();
    expect(outages.reason).toBeUndefined();
    outages.failed(new Error('down'));
    expect(lines).toHaveLength(2);
  });

  it('says more when the reason is another one', () => {
    outages.failed(new Error('down'));
    outages.failed(new Error('refused'));
    expect(lines).toHaveLength(2);
    expect(outages.reason).toBe('Error: refused');
  });

  it('takes an error that we understand for a warning, with its code', () => {
    outages.failed(new ConfigInvalid('X'));
    expect(lines[0]).toMatch(/^warn .*\[CONFIG_INVALID\]; trying again$/s);
  });
});
