import type { ServiceName } from '@millrace/contracts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LauncherConfig } from './config.js';
import { WORKSPACE } from './home.js';
import { choosePort } from './ports.js';
import type { Stack } from './stack-file.js';

export interface ServiceSpec {
  readonly name: ServiceName;
  /** Where people look for it; any free one when it is taken. */
  readonly usualPort: number;
  /** Asks for exactly one port; a taken one is an error then. */
  readonly portVariable: string;
  readonly healthPath: string;
  /** What Node is told beside the program. */
  readonly nodeArgs?: readonly string[];
  /** Under which stack.json gives its address; none for a service nobody calls. */
  readonly urlKey?: keyof Stack & `${string}Url`;
}

const healthPath = '/health/ready';

/** In the order they are started. */
const SERVICES: readonly ServiceSpec[] = [
  { name: 'projector', usualPort: 3010, portVariable: 'PROJECTOR_PORT', healthPath },
  { name: 'orchestrator', usualPort: 3011, portVariable: 'ORCHESTRATOR_PORT', healthPath },
  { name: 'node-workers', usualPort: 3012, portVariable: 'NODE_WORKERS_PORT', healthPath },
  {
    ...{ name: 'stream-gateway', usualPort: 3001, portVariable: 'STREAM_PORT', healthPath, urlKey: 'streamUrl' },
    nodeArgs: ['--max-semi-space-size=4'], // see its README
  },
  { name: 'run-api', usualPort: 3000, portVariable: 'PORT', healthPath, urlKey: 'apiUrl' },
];

export const mainFileOf = ({ name }: ServiceSpec): string => join(WORKSPACE, 'services', name, 'dist', 'main.js');

export interface PlacedService extends ServiceSpec {
  readonly port: number;
  readonly url: string;
  readonly healthUrl: string;
}

/** Those that are there and built, each with the port it will have. */
export async function placeServices(config: LauncherConfig): Promise<PlacedService[]> {
  const placed: PlacedService[] = [];
  for (const spec of SERVICES.filter((service) => existsSync(mainFileOf(service)))) {
    const port = await choosePort(config, spec.portVariable, spec.usualPort);
    const url = `http://127.0.0.1:${port}`;
    placed.push({ ...spec, port, url, healthUrl: `${url}${spec.healthPath}` });
  }
  return placed;
}

/** Every variable that asks for a port. */
export const PORT_VARIABLES = ['NATS_PORT', 'POSTGRES_PORT', ...SERVICES.map(({ portVariable }) => portVariable)];
