import { describe, expect, it } from '@jest/globals';
import { AgentRegistry, loadAgents } from '@millrace/agent-sdk';
import * as shipped from './index.js';

describe('The agents we ship', () => {
  it('can be registered, and loaded as a module like those of anybody else', async () => {
    const registry = new AgentRegistry(shipped.agents);
    expect(registry.list().map(({ id }) => id)).toEqual([
      'echo',
      'treadmill',
      'chat',
      'graph-editor',
      'consent',
      'improver',
      'explorer',
    ]);
    expect((await loadAgents(['our own'], { importModule: async () => shipped })).list()).toEqual(registry.list());
  });
});
