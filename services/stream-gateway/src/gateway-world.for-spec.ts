import { FACT_FIXTURES, RunId, type RunEvent, type RunFact, type RunRef } from '@millrace/contracts';
import { startService } from '@millrace/nest-kit';
import { StreamTickets } from '@millrace/nest-kit/http';
import { EMPTY_TAIL } from '@millrace/ports';
import { startTestNats } from '@millrace/testing/servers';
import { NATS_WITH_USERS, SpecServers, TICKET_SECRET } from '@millrace/testing/services';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadConfig } from './config.js';
import { type Message, SseClient } from './sse-client.for-spec.js';
import { streamGateway } from './stream-gateway.service.js';

export interface Gateway {
  readonly url: string;
  readonly app: NestFastifyApplication;
}

/** Gateways as they are, on a nats-server that holds their user to what it may do; and somebody who writes the log. */
export class GatewayWorld extends SpecServers {
  readonly tickets = new StreamTickets({ secret: TICKET_SECRET, ttlSeconds: 60 });
  readonly #gateways: Gateway[] = [];
  readonly #clients: SseClient[] = [];

  static async start(): Promise<GatewayWorld> {
    return new GatewayWorld(await startTestNats(NATS_WITH_USERS)).setUp();
  }

  async gateway(env: Record<string, string> = {}): Promise<Gateway> {
    const config = loadConfig({ ...this.envOf('stream-gateway'), ...env });
    const app = await startService(streamGateway, config, false);
    await app.listen(0, '127.0.0.1');
    const gateway = { app, url: (await app.getUrl()).replace('[::1]', '127.0.0.1') };
    this.#gateways.push(gateway);
    return gateway;
  }

  override async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    for (const { app } of this.#gateways) await app.close();
    await super.stop();
  }

  /** A run nobody has said anything in but that it is wanted. */
  async run(tenantId = this.ada, requested: RunFact = FACT_FIXTURES.RunRequested): Promise<RunRef> {
    const run = { tenantId, runId: RunId.parse(this.ids.next()) };
    await this.say(run, requested);
    return run;
  }

  /** Appends them one after the other, whatever the rules say. */
  async say(run: RunRef, ...facts: RunFact[]): Promise<RunEvent[]> {
    let tail = await this.log.tail(run).catch(() => EMPTY_TAIL);
    const events: RunEvent[] = [];
    for (const fact of facts) {
      const draft = { ...fact, eventId: this.ids.next(), ts: new Date().toISOString() };
      const appended = await this.log.append(run, draft, tail);
      tail = appended.tail;
      events.push(appended.event);
    }
    return events;
  }

  /** As somebody of the tenant, unless the headers say otherwise. */
  async open({ url }: Gateway, path: string, headers: Record<string, string> = {}): Promise<SseClient> {
    const named = Object.keys(headers).some((name) => name === 'authorization' || name === 'cookie');
    const shown = named ? headers : { authorization: `Bearer ${await this.token()}`, ...headers };
    const client = await SseClient.open(`${url}${path}`, shown);
    this.#clients.push(client);
    return client;
  }
}

export const tokens = (...texts: string[]): RunFact[] => texts.map((text) => ({ ...FACT_FIXTURES.TokenDelta, text }));
export const paths = {
  native: ({ runId }: RunRef): string => `/agents/runs/${runId}/stream`,
  agent: ({ runId }: RunRef): string => `/api/agent/${runId}/events`,
  thread: ({ runId }: RunRef): string => `/api/runs/${runId}/events`,
};
export const idsOf = (messages: readonly Message[]): number[] =>
  messages.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));
export const eventsOf = (messages: readonly Message[]): RunEvent[] =>
  messages.map(({ data }) => JSON.parse(data) as RunEvent);
