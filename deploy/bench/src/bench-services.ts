import { type ListeningProcess, spawnListening } from '@millrace/local-servers';
import { join } from 'node:path';
import type { BenchWorld } from './bench-world.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const AGENTS = join(ROOT, 'deploy', 'bench', 'agents', 'bench.mjs');

/** One orchestrator and so many workers, as real processes with the limits they have by default. */
export const startServices = async (world: BenchWorld, workers: number): Promise<readonly ListeningProcess[]> => [
  await spawnService(world, 'orchestrator'),
  ...(await Promise.all(Array.from({ length: workers }, () => spawnService(world, 'node-workers')))),
];

const spawnService = (world: BenchWorld, name: string): Promise<ListeningProcess> =>
  spawnListening({
    command: process.execPath,
    args: ['--enable-source-maps', join(ROOT, 'services', name, 'dist', 'main.js')],
    env: { ...process.env, NATS_URL: world.url, PORT: '0', AGENT_MODULES: AGENTS },
  });
