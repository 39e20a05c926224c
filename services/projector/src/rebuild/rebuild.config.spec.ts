import { describe, expect, it } from '@jest/globals';
import { loadRebuildConfig } from './rebuild.config.js';

const NATS_URL = 'nats://admin:secret@10.0.0.1:4222';
const DATABASE_URL = 'postgresql://owner:secret@10.0.0.2/millrace';
const stack = { natsUrl: 'nats://admin:a@127.0.0.1:4222', databaseUrl: 'postgresql://postgres@127.0.0.1/millrace' };
const files = (path: string) => (file: string) =>
  file === path ? JSON.stringify({ ...stack, token: 'x' }) : undefined;

describe('loadRebuildConfig', () => {
  it('takes the servers that are named', () => {
    const config = loadRebuildConfig({ NATS_URL, DATABASE_URL }, '/checkout', files('/checkout/.millrace/stack.json'));
    expect(config).toEqual({ natsUrl: NATS_URL, databaseUrl: DATABASE_URL });
  });

  it('takes those of the stack that runs here, or in another folder', () => {
    expect(loadRebuildConfig({}, '/checkout', files('/checkout/.millrace/stack.json'))).toEqual(stack);
    expect(loadRebuildConfig({ MILLRACE_HOME: '/other' }, '/checkout', files('/other/stack.json'))).toEqual(stack);
  });

  it('says what to do when nothing runs, or only one server is named', () => {
    const nothing = () => undefined;
    expect(() => loadRebuildConfig({}, '/checkout', nothing)).toThrow(/Nothing runs here .*stack.json\): npm start/);
    expect(() => loadRebuildConfig({ NATS_URL }, '/checkout', nothing)).toThrow(/Set both/);
    expect(() => loadRebuildConfig({ DATABASE_URL: 'mysql://x' }, '/checkout', nothing)).toThrow(/DATABASE_URL/);
  });
});
