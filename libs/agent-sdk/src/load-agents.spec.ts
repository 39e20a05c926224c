import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { AgentDefinition } from './agent-definition.js';
import { AgentRegistry } from './agent-registry.js';
import { lineOf } from './error-line.js';
import { loadAgents, type LoadOptions } from './load-agents.js';

const agent = (id: string, version = '1'): AgentDefinition => ({
  id,
  version,
  graph: { nodes: { a: {} }, invoke: async (input) => input },
});

const loading = (modules: Record<string, unknown>, options: LoadOptions = {}) =>
  loadAgents(Object.keys(modules), { importModule: async (path) => modules[path], ...options });

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
      { registry },
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
    [
      'exports an agent twice',
      { default: [agent('a'), agent('a')] },
      'Agent a 1 is registered twice: both in ./mine.js',
    ],
    [
      'exports an agent of another module',
      { default: agent('fine') },
      'Agent fine 1 is registered twice: in ./fine.js and in ./mine.js',
    ],
    [
      'exports an agent of our own',
      { default: agent('ours') },
      'Agent ours 1 is registered twice: in the agents this process has anyway and in ./mine.js',
    ],
    [
      'exports an agent with a graph that cannot be run here',
      { default: agent('odd') },
      'The graph of odd has a breakpoint',
    ],
  ])('leaves out what a module that %s has, says what to do, and goes on', async (_, module, problem) => {
    const check = ({ id }: AgentDefinition) => {
      if (id === 'odd') throw new TypeError('The graph of odd has a breakpoint');
    };
    const modules = {
      './fine.js': { default: agent('fine') },
      './mine.js': module,
      './last.js': { agents: agent('z') },
    };
    const loaded = await loading(modules, { check, registry: new AgentRegistry([agent('ours')]) });
    expect(loaded.list().map(({ id }) => id)).toEqual(expect.arrayContaining(['ours', 'fine', 'z']));
    expect(loaded.leftOut).toEqual([
      expect.objectContaining({
        code: 'AGENT_MODULE_INVALID',
        path: './mine.js',
        message: expect.stringContaining(`The agents in ./mine.js cannot be used: ${problem}`),
      }),
    ]);
  });

  it('leaves out the one agent of a module whose definition is bad, and takes the others', async () => {
    const loaded = await loading({ './mine.js': { agents: [{ ...agent('bad'), graph: {} }, agent('good')] } });
    expect(loaded.list()).toMatchObject([{ id: 'good' }]);
    expect(loaded.leftOut).toMatchObject([{ path: './mine.js', agentId: 'bad' }]);
  });

  it('leaves out the module that does not load, and says why', async () => {
    const cause = new SyntaxError('Unexpected token');
    const loaded = await loadAgents(['./mine.js'], { importModule: () => Promise.reject(cause) });
    expect(loaded.leftOut).toMatchObject([
      {
        ...{ path: './mine.js', agentId: undefined, cause },
        message: expect.stringContaining('./mine.js cannot be used: the module does not load (Unexpected token)'),
      },
    ]);
  });
});

describe('An agent that is not there', () => {
  const withBroken = (module: unknown) => loading({ './fine.js': { default: agent('fine') }, './mine.js': module });
  const asked = (registry: AgentRegistry, id: string, version?: string): unknown => {
    try {
      return version === undefined ? registry.latest(id) : registry.get(id, version);
    } catch (error) {
      return error;
    }
  };

  it('may be in a module that was left out, and is then to be asked for again', async () => {
    const registry = await withBroken({});
    expect([asked(registry, 'gone'), asked(registry, 'gone', '1'), asked(registry, 'fine', '2')]).toMatchObject([
      { code: 'AGENT_NOT_FOUND', redelivery: 'retry', message: expect.stringMatching(/not loaded: \.\/mine\.js$/) },
      { code: 'AGENT_NOT_FOUND', redelivery: 'retry' },
      { code: 'AGENT_VERSION_GONE', redelivery: 'retry' },
    ]);
  });

  it('is not there when only others were left out', async () => {
    const registry = await withBroken({ agents: [{ ...agent('bad'), version: '' }] });
    expect([asked(registry, 'bad'), asked(registry, 'gone')]).toMatchObject([
      { redelivery: 'retry' },
      { redelivery: 'park' },
    ]);
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
    const { leftOut } = await loadAgents([path]);
    expect(leftOut).toMatchObject([
      { path, message: expect.stringContaining(`The agents in ${path} cannot be used: the module does not load`) },
    ]);
  });
});

describe('The line where a module goes wrong', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-agents-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const lineIn = async (name: string, source: string): Promise<string | undefined> => {
    const path = join(folder, name);
    await writeFile(path, source);
    const script = `import(${JSON.stringify(pathToFileURL(path).href)}).catch((e) => console.log(e.name + '\\n' + e.stack))`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]); // as Node itself loads it
    const [errorName, ...stack] = stdout.split('\n');
    const cause = Object.assign(errorName === 'SyntaxError' ? new SyntaxError('spec') : new Error('spec'), {
      stack: stack.join('\n'),
    });
    return lineOf(cause, path);
  };

  it.each([
    ['throws', 'const x = 1;\nfunction f() {\n  throw new Error(`boom`);\n}\nf();\n', 3],
    ['is no JavaScript', 'export const a = 1;\nconst b = {;\n', 2],
    ['imports a name that is not there', 'import { nope } from `node:fs`;\n'.replaceAll('`', '"'), 1],
  ])('is told of one that %s', async (sort, source, line) => {
    const name = `${sort.replaceAll(' ', '-')}.mjs`;
    expect(await lineIn(name, source)).toBe(`${join(folder, name)}:${line}`);
  });

  it('is not made up where there is none', async () => {
    expect(await lineOf('a string', '/x.mjs')).toBeUndefined();
    expect(await lineOf(Object.assign(new Error('x'), { stack: 'Error: x' }), '/x.mjs')).toBeUndefined();
  });
});
