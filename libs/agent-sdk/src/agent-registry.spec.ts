import { describe, expect, it } from '@jest/globals';
import type { AgentDefinition } from './agent-definition.js';
import { AgentRegistry } from './agent-registry.js';

const agent = (id: string, version: string): AgentDefinition => ({
  id,
  version,
  graph: { nodes: {}, invoke: async (input) => input },
});

describe('AgentRegistry', () => {
  it('keeps versions side by side; new runs start with the one registered last', () => {
    const registry = new AgentRegistry([agent('echo', '1'), agent('echo', '2')]);
    expect(registry.latest('echo').version).toBe('2');
    expect(registry.get('echo', '1').version).toBe('1');
  });

  it('refuses the same version twice', () => {
    expect(() => new AgentRegistry([agent('echo', '1'), agent('echo', '1')])).toThrow(
      'Agent echo 1 is registered twice',
    );
  });

  it('says what there is when it has no such agent', () => {
    const registry = new AgentRegistry([agent('echo', '1'), agent('treadmill', '1')]);
    const unknown = { code: 'AGENT_NOT_FOUND', message: 'There is no agent ecco: there are echo, treadmill' };
    expect(() => registry.latest('ecco')).toThrow(expect.objectContaining(unknown));
    expect(() => registry.get('ecco', '1')).toThrow(expect.objectContaining(unknown));
    expect(() => new AgentRegistry().latest('echo')).toThrow('There is no agent echo: none is registered');
  });

  it('says which versions there are when the one a run began with is gone', () => {
    const registry = new AgentRegistry([agent('echo', '2'), agent('echo', '3')]);
    expect(() => registry.get('echo', '1')).toThrow(
      expect.objectContaining({ code: 'AGENT_VERSION_GONE', message: 'Agent echo 1 is gone: there is 2, 3' }),
    );
  });
});
