import { createInbox, type NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { setTimeout as pause } from 'node:timers/promises';
import { NatsUnreachable, NatsUnsuitable } from './nats-errors.js';

export interface NatsAddress {
  /** `nats://user:password@host:port`; several servers of one cluster are separated by commas. */
  readonly url: string;
  /** Who connects: shown by the server's monitoring. */
  readonly name: string;
  /** How long to wait for a server that is not up yet. */
  readonly waitForServerMs?: number;
}

const OLDEST = '2.12.0';

/** A server that hangs keeps its connections: after two pings without an answer another one of the cluster is taken. */
const PING_MS = 3_000;
/** One that hangs takes new connections and says nothing. */
const CONNECT_MS = 3_000;

/** A connection that comes back by itself, for ever. Each user has an inbox of its own that no other user can hear. */
export async function connectNats({ url, name, waitForServerMs = 0 }: NatsAddress): Promise<NatsConnection> {
  const { servers, user, pass } = parseAddress(url);
  const deadline = Date.now() + waitForServerMs;
  for (;;) {
    try {
      const nats = await requireSuitable(
        await connect({
          servers,
          ...(user === undefined ? {} : { user, pass: pass ?? '' }),
          name,
          inboxPrefix: inboxPrefix(user),
          maxReconnectAttempts: -1,
          reconnectTimeWait: 200,
          reconnectJitter: 200,
          ...{ pingInterval: PING_MS, maxPingOut: 2, timeout: CONNECT_MS },
          ignoreAuthErrorAbort: true,
          noAsyncTraces: true,
        }),
      );
      inboxes.set(nats, inboxPrefix(user));
      return nats;
    } catch (cause) {
      if (cause instanceof NatsUnsuitable) throw cause;
      if (Date.now() >= deadline) {
        const fix = 'start it, or set NATS_URL to the one to use';
        throw new NatsUnreachable(`No NATS server at ${servers.join(', ')} (${String(cause)}): ${fix}`, { cause });
      }
      await pause(100);
    }
  }
}

/** The client tells nobody which prefix it was given. */
const inboxes = new WeakMap<NatsConnection, string>();

/** An inbox this connection's user may listen on, for whoever subscribes to one by hand. */
export const inboxOf = (nats: NatsConnection): string => createInbox(inboxes.get(nats));

export const inboxPrefix = (user: string | undefined): string => (user === undefined ? '_INBOX' : `_INBOX_${user}`);

async function requireSuitable(nats: NatsConnection): Promise<NatsConnection> {
  const { version = '0', jetstream = false } = nats.info ?? {};
  if (isAtLeast(version, OLDEST) && jetstream) return nats;
  const server = nats.getServer();
  await nats.close();
  const lack = jetstream ? `is version ${version}, ${OLDEST} or newer is needed` : 'has JetStream switched off';
  const fix = jetstream ? 'upgrade it, or set NATS_URL to another' : 'start it with -js, or set NATS_URL to another';
  throw new NatsUnsuitable(`The NATS server at ${server} ${lack}: ${fix}`);
}

function parseAddress(url: string): { servers: string[]; user?: string; pass?: string } {
  const addresses = url.split(',').map((part) => new URL(part.trim()));
  const named = addresses.find(({ username }) => username !== '');
  const servers = addresses.map(({ hostname, port }) => `${hostname}:${port === '' ? '4222' : port}`);
  if (named === undefined) return { servers };
  return { servers, user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) };
}

const isAtLeast = (version: string, least: string): boolean =>
  version.localeCompare(least, 'en', { numeric: true }) >= 0;
