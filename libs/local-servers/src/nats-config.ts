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

const clusterConfig = (host: string, { name, port, routes, clientAdvertise }: NatsClusterSettings): string[] => [
  ...(clientAdvertise === undefined ? [] : [`client_advertise: ${quote(clientAdvertise)}`]),
  'cluster {',
  `  name: ${quote(name)}`,
  `  listen: "${host}:${port}"`,
  `  routes: [${routes.map((route) => quote(`nats://${route}`)).join(', ')}]`,
  '}',
];

/** JSON's strings are strings to nats-server as well. */
const quote = (text: string): string => JSON.stringify(text);
