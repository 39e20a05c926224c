import { clusterAgreed } from '@millrace/local-servers';
import { getContainerRuntimeClient, Network, type StartedNetwork } from 'testcontainers';
import { ContainerTestServer } from './container-test-server.js';
import { natsImage } from './nats-container.js';
import { allOrNone, clusterOf, type TestNatsCluster } from './test-nats-cluster.js';
import type { TestNatsOptions } from './test-server.js';

const ROUTES_PORT = 6222;
const MONITOR_PORT = 8222;

/** They find each other by name in a network of their own. */
export async function startNatsClusterContainers(size: number, options: TestNatsOptions): Promise<TestNatsCluster> {
  const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
  const names = Array.from({ length: size }, (_, index) => `n${index + 1}`);
  const network = await new Network().start();
  const servers: ContainerTestServer[] = [];
  const agreed = () => clusterAgreed(servers.map((server) => `http://${server.addressOf(MONITOR_PORT)}`));
  const stop = once(async () => {
    await clusterOf(servers, agreed).stop();
    await network.stop();
  });
  try {
    servers.push(...(await allOrNone(names.map((name) => startMember(name, names, host, network, options)))));
    await agreed();
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...clusterOf(servers, agreed), stop };
}

/** A network can be removed only once. */
const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
};

async function startMember(
  name: string,
  all: readonly string[],
  host: string,
  network: StartedNetwork,
  options: TestNatsOptions,
) {
  const image = natsImage((hostPort) => ({
    ...options,
    serverName: name,
    monitorPort: MONITOR_PORT,
    cluster: {
      name: 'test',
      port: ROUTES_PORT,
      routes: all.map((other) => `${other}:${ROUTES_PORT}`),
      clientAdvertise: `${host}:${hostPort}`, // clients cannot reach the address it has inside the network
    },
  }));
  return ContainerTestServer.open({
    ...image,
    describe: (hostPort) =>
      image.describe(hostPort).withNetwork(network).withNetworkAliases(name).withExposedPorts(MONITOR_PORT),
  });
}
