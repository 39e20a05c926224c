import type { ServiceName } from '@millrace/contracts';
import { type ListeningProcess, spawnListening } from '@millrace/local-servers';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** The graphs that are measured; loaded by the workers and, for plain LangGraph, by the benchmark. */
export const AGENTS = join(ROOT, 'deploy', 'bench', 'agents', 'bench.mjs');

type Env = Readonly<Record<string, string>>;

/** What Node is told in production, beside the program. */
const NODE_ARGS: Partial<Record<ServiceName, readonly string[]>> = { 'stream-gateway': ['--max-semi-space-size=4'] };

export const spawnService = (name: ServiceName, env: Env): Promise<ListeningProcess> =>
  spawnNode(join('services', name, 'dist', 'main.js'), env, NODE_ARGS[name]);

/** A worker that has announced the agents that are measured; run-api refuses runs of agents that no worker announced. */
export const spawnWorker = (natsUrl: string): Promise<ListeningProcess> =>
  spawnService('node-workers', { NATS_URL: natsUrl, AGENT_MODULES: AGENTS });

/** A program of this repository on any free port; resolves once it listens. */
export const spawnNode = (file: string, env: Env, nodeArgs: readonly string[] = []): Promise<ListeningProcess> =>
  spawnListening({
    command: process.execPath,
    args: ['--enable-source-maps', ...nodeArgs, join(ROOT, file)],
    env: { ...process.env, PORT: '0', ...env },
  });
