import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  codeOf,
  CONSUMER_EXISTS,
  CONSUMER_NOT_FOUND,
  NO_MEMORY,
  NO_PEERS,
  NO_SPACE,
  STREAM_EXISTS,
  STREAM_NOT_FOUND,
} from './api-codes.js';
import { NatsUnsuitable, TopologyDrifted } from './nats-errors.js';
import { type DeclaredConsumer, type DeclaredStream, type Topology, topology, type TopologySize } from './topology.js';

/**
 * Creates what is missing, lets consumers that are there hear the kinds of this version, then verifies everything. Needs a
 * user that may create streams; services only verify.
 */
export async function setUpTopology(nats: NatsConnection, size: TopologySize = {}): Promise<void> {
  const declared = topology(size);
  const manager = await jetstreamManager(nats, { checkAPI: false });
  for (const stream of declared.streams) await createStream(manager, stream);
  for (const consumer of declared.consumers) await createConsumer(manager, consumer);
  await verify(manager, declared, 'Nothing was changed: migrate it by hand, or set up an empty server');
}

/** Rejects with every difference at once, so that a person sees the whole of it. */
export async function verifyTopology(nats: NatsConnection): Promise<void> {
  const manager = await jetstreamManager(nats, { checkAPI: false });
  const { streams, consumers } = topology();
  // How often a stream is replicated is the operator's choice, made when it was set up.
  const declared = { consumers, streams: streams.map(({ num_replicas, ...stream }) => stream) };
  await verify(manager, declared, 'Run the set-up (npm run setup) with a user that may create streams');
}

async function verify(manager: JetStreamManager, declared: Topology, fix: string): Promise<void> {
  const streams = await Promise.all(declared.streams.map((stream) => streamDifferences(manager, stream)));
  const consumers = await Promise.all(declared.consumers.map((consumer) => consumerDifferences(manager, consumer)));
  const differences = [...streams, ...consumers].flat();
  if (differences.length > 0) throw new TopologyDrifted(differences, fix);
}

async function createStream(manager: JetStreamManager, stream: DeclaredStream): Promise<void> {
  if (await found(manager.streams.info(stream.name))) return;
  for (const deadline = performance.now() + PEERS_WITHIN_MS; ; await pause(AGAIN_MS)) {
    try {
      await manager.streams.add(stream);
      return;
    } catch (cause) {
      const code = codeOf(cause);
      if (code === STREAM_EXISTS) return; // another set-up was faster; verify tells whether it agrees
      if (code === NO_PEERS && performance.now() < deadline) continue;
      throw refusalOf(stream, cause);
    }
  }
}

/** Servers of a cluster that was just started have not all joined, and are waited for. */
const PEERS_WITHIN_MS = 30_000;
const AGAIN_MS = 250;

const refusalOf = ({ name, max_bytes, num_replicas }: DeclaredStream, cause: unknown): unknown => {
  const code = codeOf(cause);
  if (code === NO_PEERS) {
    const missing = `stream ${name} wants ${num_replicas} servers with JetStream, and fewer answer`;
    return new NatsUnsuitable(`${missing}: start the others, or set fewer replicas`, { cause });
  }
  if (code !== NO_SPACE && code !== NO_MEMORY) return cause;
  const wanted = `stream ${name} may grow to ${max_bytes} bytes, more than the server has left`;
  return new NatsUnsuitable(`${wanted}: give it more room or set a smaller limit`, { cause });
};

/** What a consumer is told of follows from the code that reads it, and is nobody's setting: it changes with the version. */
async function createConsumer(manager: JetStreamManager, { stream, config }: DeclaredConsumer): Promise<void> {
  const info = await found(manager.consumers.info(stream, config.durable_name));
  if (info) {
    const { filter_subjects } = config;
    if (filter_subjects === undefined || isDeepStrictEqual(filter_subjects, info.config.filter_subjects)) return;
    await manager.consumers.update(stream, config.durable_name, { filter_subjects });
    return;
  }
  try {
    await manager.consumers.add(stream, config);
  } catch (cause) {
    if (codeOf(cause) !== CONSUMER_EXISTS) throw cause;
  }
}

async function streamDifferences(manager: JetStreamManager, stream: DeclaredStream): Promise<string[]> {
  const info = await found(manager.streams.info(stream.name));
  if (!info) return [`stream ${stream.name} is missing`];
  const { max_bytes, ...exact } = stream;
  const bounded = max_bytes > 0 && info.config.max_bytes <= 0 ? [`stream ${stream.name} has no max_bytes`] : [];
  // How much it may hold depends on the disk it was created for, and is no reason to refuse a server.
  return [...bounded, ...differing(`stream ${stream.name}`, exact, { ...info.config })];
}

async function consumerDifferences(manager: JetStreamManager, { stream, config }: DeclaredConsumer): Promise<string[]> {
  const name = `consumer ${config.durable_name} of ${stream}`;
  const info = await found(manager.consumers.info(stream, config.durable_name));
  return info ? differing(name, { ...config }, { ...info.config }) : [`${name} is missing`];
}

const differing = (name: string, declared: Record<string, unknown>, actual: Record<string, unknown>): string[] =>
  Object.entries(declared)
    .filter(
      ([field, value]) => field !== 'description' && !isDeepStrictEqual(value, actual[field] ?? absentValue(value)),
    )
    .map(([field, value]) => `${name}: ${field} is ${JSON.stringify(actual[field])}, not ${JSON.stringify(value)}`);

/** The server leaves out what is switched off. */
const absentValue = (value: unknown): unknown => (value === false ? false : undefined);

async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (cause) {
    if (codeOf(cause) === STREAM_NOT_FOUND || codeOf(cause) === CONSUMER_NOT_FOUND) return undefined;
    throw cause;
  }
}
