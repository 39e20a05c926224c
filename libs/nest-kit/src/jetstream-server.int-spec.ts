import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  connectNats,
  JetStreamDeadLetters,
  JetStreamBlobStore,
  JetStreamRunLog,
  type NatsConnection,
  setUpTopology,
  STREAMS,
  UlidEventIds,
} from '@millrace/adapter-jetstream';
import { decodeRunEvent, FACT_FIXTURES, RunId, type RunEventKind, TenantId } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import { EMPTY_TAIL, park, retryAfter, type Outcome } from '@millrace/ports';
import { startTestNats, type TestNats } from '@millrace/testing/servers';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { trace } from '@opentelemetry/api';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { JetStreamContext, JetStreamServer } from './jetstream-server.js';
import { ConsumerController } from './pass-errors-on.filter.js';
import { countSetAside, countWoken } from './counts.js';
import { startTelemetry } from './telemetry.js';

class Hopeless extends PlatformError {
  readonly code = 'HOPELESS';
  readonly redelivery = 'park';
}

const seen: string[] = [];

@ConsumerController()
class SpecController {
  @EventPattern<string>('tenant.*.run.*.RunRequested')
  requested(@Payload() data: Uint8Array): void {
    seen.push(decodeRunEvent(data).kind);
  }

  @EventPattern<string>('tenant.*.run.*.RunStarted')
  async started(@Ctx() { delivery }: JetStreamContext): Promise<Outcome | undefined> {
    seen.push(`RunStarted ${delivery.attempt}`);
    return delivery.attempt === 1 ? retryAfter(1) : undefined;
  }

  @EventPattern<string>('tenant.*.run.*.RunFailed')
  async failed(): Promise<Outcome> {
    return park('on purpose');
  }

  @EventPattern<string>('tenant.*.run.*.RunCanceled')
  async canceled(@Ctx() { delivery }: JetStreamContext): Promise<void> {
    seen.push(`RunCanceled ${delivery.attempt}`);
    throw delivery.attempt === 1 ? new TypeError('passes') : new Hopeless('for ever');
  }
}

@Module({ controllers: [SpecController] })
class SpecModule {}

let server: TestNats;
let nats: NatsConnection;
let app: NestFastifyApplication;
beforeAll(async () => {
  server = await startTestNats();
  nats = await connectNats({ url: server.url, name: 'spec' });
  await setUpTopology(nats, { maxLogBytes: 1024 ** 2 * 64, maxBlobBytes: 1024 ** 2 });
  const config = { durable_name: 'spec', ack_policy: 'explicit', filter_subject: 'tenant.*.run.*.*' };
  await nats.request(
    `$JS.API.CONSUMER.DURABLE.CREATE.${STREAMS.runs}.spec`,
    JSON.stringify({ stream_name: STREAMS.runs, config }),
  );
  app = await NestFactory.create<NestFastifyApplication>(SpecModule, new FastifyAdapter(), { logger: false });
  const options = { nats, stream: STREAMS.runs, durable: 'spec', graceMs: 1_000, retryAfterMs: () => 1 };
  app.connectMicroservice({ strategy: new JetStreamServer(options) });
  await app.startAllMicroservices();
});
afterAll(async () => {
  await app.close();
  await nats.close();
  await server.stop();
});

const append = async (kind: RunEventKind): Promise<void> => {
  const ids = new UlidEventIds();
  const run = { tenantId: TenantId.parse(ids.next()), runId: RunId.parse(ids.next()) };
  const draft = { ...FACT_FIXTURES[kind], eventId: ids.next(), ts: '2026-01-12T10:00:00.000Z' };
  await new JetStreamRunLog(nats, new JetStreamBlobStore(nats)).append(run, draft, EMPTY_TAIL);
};

const until = async (isSo: () => Promise<boolean> | boolean): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
};

const isSettled = async (): Promise<boolean> => {
  const answer = await nats.request(`$JS.API.CONSUMER.INFO.${STREAMS.runs}.spec`);
  const { num_pending, num_ack_pending } = answer.json<{ num_pending: number; num_ack_pending: number }>();
  return num_pending === 0 && num_ack_pending === 0;
};

describe('A Nest service on a durable consumer', () => {
  it('handles a subject by its pattern, and hears a message again when it asks for it', async () => {
    await append('RunRequested');
    await append('RunStarted');
    await until(() => seen.length === 3);
    expect(seen.splice(0)).toEqual(['RunRequested', 'RunStarted 1', 'RunStarted 2']);
  });

  it('parks what the handler parks, what it throws as hopeless, and what nobody handles', async () => {
    for (const kind of ['RunFailed', 'RunCanceled', 'RunFinished'] as const) await append(kind);
    const letters = new JetStreamDeadLetters(nats);
    await until(async () => (await letters.list(10)).length === 3);
    const reasons = (await letters.list(10)).map(({ reason }) => reason).sort();
    expect(reasons).toEqual([
      expect.stringMatching(/No handler for tenant\..*\.RunFinished/),
      'for ever',
      'on purpose',
    ]);
    expect(seen.splice(0)).toEqual(['RunCanceled 1', 'RunCanceled 2']);
  });

  it('works on a message in the trace of whoever appended it, and exports that and what is counted', async () => {
    const collector = new SpecCollector();
    const flush = await startTelemetry('spec', await collector.listen());
    for (let count = 0; count < 3; count += 1) countSetAside('dispatcher', new Hopeless('for ever'));
    countWoken('RUNNING');
    const traceId = await trace.getTracer('spec').startActiveSpan('request', async (span) => {
      await append('RunRequested');
      span.end();
      return span.spanContext().traceId;
    });
    await until(isSettled); // the span ends before the message is acknowledged, and after the handler has seen it
    expect(seen.splice(0)).toEqual(['RunRequested']);
    await flush();
    await collector.close();
    expect(collector.counts).toEqual([
      { name: 'millrace.set_aside', value: 3, attributes: { loop: 'dispatcher', reason: 'HOPELESS' } },
      { name: 'millrace.runs_woken', value: 1, attributes: { status: 'RUNNING' } },
    ]);
    const spans = collector.spans.filter((span) => span.traceId === traceId);
    expect(spans.map(({ name }) => name).sort()).toEqual(['process RunRequested', 'request']);
    const [child, parent] = ['process RunRequested', 'request'].map((name) => spans.find((span) => span.name === name));
    expect(child?.parentSpanId).toBe(parent?.spanId);
  });
});

interface ExportedCount {
  readonly name: string;
  readonly value: number;
  readonly attributes: Readonly<Record<string, string>>;
}

interface ExportedMetric {
  readonly name: string;
  readonly sum?: {
    readonly dataPoints: {
      readonly asInt?: number | string;
      readonly asDouble?: number;
      readonly attributes: { readonly key: string; readonly value: { readonly stringValue: string } }[];
    }[];
  };
}

interface Exported {
  readonly resourceSpans?: { scopeSpans: { spans: ExportedSpan[] }[] }[];
  readonly resourceMetrics?: { scopeMetrics: { metrics: ExportedMetric[] }[] }[];
}

interface ExportedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

const countsIn = ({ name, sum }: ExportedMetric): ExportedCount[] =>
  (sum?.dataPoints ?? []).map(({ asInt, asDouble, attributes }) => ({
    name,
    value: Number(asInt ?? asDouble),
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue])),
  }));

/** Takes what an OTLP exporter sends over HTTP. */
class SpecCollector {
  readonly spans: ExportedSpan[] = [];
  /** As they were told last. */
  counts: ExportedCount[] = [];
  readonly #server = createServer((request, response) => {
    void json(request).then((body) => {
      const { resourceSpans = [], resourceMetrics = [] } = body as Exported;
      this.spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
      const metrics = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
      if (metrics.length > 0)
        this.counts = metrics.filter(({ name }) => name.startsWith('millrace.')).flatMap(countsIn);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
