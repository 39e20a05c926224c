import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentDefinition } from './agent-definition.js';
import { AgentRegistry } from './agent-registry.js';
import { loadAgents } from './load-agents.js';

const agent = (id: string, version = '1'): AgentDefinition => ({
  id,
  version,
  graph: { nodes: { a: {} }, invoke: async (input) => input },
});

const loading = (modules: Record<string, unknown>, registry?: AgentRegistry) =>
  loadAgents(Object.keys(modules), async (path) => modules[path], registry);

describe('loadAgents', () => {
  it.each<[string, unknown]>([
    ['its default export', { default: agent('a') }],
    ['a list as its default export', { default: [agent('a')] }],
    ['its export `agents`', { agents: [agent('a')] }],
    ['a single `agents`', { agents: agent('a') }],
    ['`agents`, beside the default every CommonJS module has', { agents: [agent('a')], default: { agents: [] } }],
  ])('takes the agents of a module from %s', async (_, module) => {
    expect((await loading({ './mine.js': module })).list()).toMatchObject([{ id: 'a' }]);
  });

  it('adds them to the agents that are there', async () => {
    const registry = new AgentRegistry([agent('echo')]);
    const loaded = await loading(
      { './a.js': { default: agent('echo', '2') }, './b.js': { default: agent('b') } },
      registry,
    );
    expect(loaded).toBe(registry);
    expect(loaded.list().map(({ id, version }) => `${id} ${version}`)).toEqual(['echo 1', 'echo 2', 'b 1']);
  });

  it.each<[string, unknown, string]>([
    ['exports nothing', {}, 'it exports none; write `export default defineAgent({ ... })`'],
    ['exports an empty list', { agents: [] }, 'it exports none'],
    ['exports something else', { default: 'echo' }, 'Agent (no id) cannot be used: '],
    [
      'exports an agent that cannot run',
      { default: { ...agent('a'), version: '' } },
      'Agent a cannot be used: version: ',
    ],
    ['exports an agent twice', { default: [agent('a'), agent('a')] }, 'Agent a 1 is registered twice'],
  ])('names the module that %s, and what to do', async (_, module, problem) => {
    await expect(loading({ './fine.js': { default: agent('fine') }, './mine.js': module })).rejects.toMatchObject({
      code: 'AGENT_MODULE_INVALID',
      path: './mine.js',
      message: expect.stringContaining(`The agents in ./mine.js cannot be used: ${problem}`),
    });
  });

  it('names the module that does not load, and why', async () => {
    const cause = new SyntaxError('Unexpected token');
    const load = loadAgents(['./mine.js'], () => Promise.reject(cause));
    await expect(load).rejects.toMatchObject({
      path: './mine.js',
      cause,
      message: expect.stringContaining('./mine.js cannot be used: the module does not load (Unexpected token)'),
    });
  });
});

describe('loadAgents, from files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-agents-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('loads a module by its path', async () => {
    const path = join(folder, 'mine.mjs');
    await writeFile(path, `export default { id: 'mine', version: '1', graph: { nodes: {}, invoke: async () => {} } };`);
    expect((await loadAgents([path])).latest('mine')).toMatchObject({ version: '1' });
  });

  it('says so when there is no such file', async () => {
    const path = join(folder, 'gone.mjs');
    await expect(loadAgents([path])).rejects.toMatchObject({
      path,
      message: expect.stringContaining(`The agents in ${path} cannot be used: the module does not load`),
    });
  });
});
