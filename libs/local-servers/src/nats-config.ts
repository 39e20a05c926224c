export interface NatsSettings {
  /** The address to listen on, e.g. `127.0.0.1`: this machine only. */
  readonly host: string;
  readonly port: number;
  readonly storeDir: string;
  /** Below what the disk has left, so that a full log answers with an error while the machine can still breathe. */
  readonly maxStoreBytes: bigint;
  /** Every acknowledged message is on the disk. Without it a power failure may take up to two minutes of them. */
  readonly syncAlways: boolean;
  readonly monitorPort?: number;
  readonly serverName?: string;
  readonly cluster?: NatsClusterSettings;
  /** More of nats-server's own configuration, e.g. users and permissions. */
  readonly extraConfig?: string;
}

export interface NatsClusterSettings {
  readonly name: string;
  readonly port: number;
  /** `host:port` of the cluster ports of all its servers. */
  readonly routes: readonly string[];
  /** Of how many servers, where they share one disk. */
  readonly size?: number;
  /** What the servers show each other; without it whoever reaches the port may join. */
  readonly password?: string;
  /** Where the servers tell each other that this one is to be found. */
  readonly advertise?: string;
  /** The one address clients are told of, where they cannot reach the one it listens on. */
  readonly clientAdvertise?: string;
}

/** nats-server's configuration file. It says nothing about who may connect, unless `extraConfig` does. */
export function natsConfig(settings: NatsSettings): string {
  const { host, cluster } = settings;
  return [
    ...(settings.serverName === undefined ? [] : [`server_name: ${quote(settings.serverName)}`]),
    `listen: "${host}:${settings.port}"`,
    ...(settings.monitorPort === undefined ? [] : [`http: "${host}:${settings.monitorPort}"`]),
    'jetstream {',
    `  store_dir: ${quote(settings.storeDir)}`,
    `  max_file_store: ${settings.maxStoreBytes}`,
    ...(settings.syncAlways ? ['  sync_interval: always'] : []),
    '}',
    ...(cluster === undefined ? [] : clusterConfig(host, cluster)),
    ...(settings.extraConfig === undefined ? [] : [settings.extraConfig]),
    '',
  ].join('\n');
}

function clusterConfig(host: string, cluster: NatsClusterSettings): string[] {
  const { name, port, routes, clientAdvertise, password, advertise } = cluster;
  const user = password === undefined ? '' : `${ROUTES_USER}:${encodeURIComponent(password)}@`;
  return [
    ...(clientAdvertise === undefined ? [] : [`client_advertise: ${quote(clientAdvertise)}`]),
    'cluster {',
    `  name: ${quote(name)}`,
    `  listen: "${host}:${port}"`,
    ...(password === undefined ? [] : [`  authorization { user: ${ROUTES_USER}, password: ${quote(password)} }`]),
    ...(advertise === undefined ? [] : [`  advertise: ${quote(advertise)}`]),
    `  routes: [${routes.map((route) => quote(`nats://${user}${route}`)).join(', ')}]`,
    '}',
  ];
}

const ROUTES_USER = 'routes';

/** JSON's strings are strings to nats-server as well. */
const quote = (text: string): string => JSON.stringify(text);
