import type { JetStreamDelivery } from '@millrace/adapter-jetstream';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api';

const TRACER = 'millrace';

/** The work on one message, in the trace of whoever sent it. */
export function inConsumerSpan<T>(delivery: JetStreamDelivery, work: () => Promise<T>): Promise<T> {
  const { subject, headers, attempt } = delivery;
  const parent = headers ? propagation.extract(ROOT_CONTEXT, headers, getter) : ROOT_CONTEXT;
  const attributes = {
    'messaging.system': 'nats',
    'messaging.destination.name': subject,
    'messaging.attempt': attempt,
  };
  const kindOfEvent = subject.split('.').at(-1) ?? subject;
  const span = trace
    .getTracer(TRACER)
    .startSpan(`process ${kindOfEvent}`, { kind: SpanKind.CONSUMER, attributes }, parent);
  return context.with(trace.setSpan(parent, span), async () => {
    try {
      return await work();
    } catch (error) {
      span.recordException(error instanceof Error ? error : String(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** With an endpoint spans and counts are exported to it; without one none are. Resolves with how to flush and stop. */
export async function startTelemetry(service: string, endpoint: string | undefined): Promise<() => Promise<void>> {
  if (endpoint === undefined) return async () => {};
  // Loaded only now: the SDK costs a third of a second and 20 MB, and most local stacks trace nothing.
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-http');
  const { PeriodicExportingMetricReader } = await import('@opentelemetry/sdk-metrics');
  const base = endpoint.replace(/\/$/, '');
  const traceExporter = new OTLPTraceExporter({ url: `${base}/v1/traces` });
  const exporter = new OTLPMetricExporter({ url: `${base}/v1/metrics` });
  const metricReaders = [new PeriodicExportingMetricReader({ exporter })];
  const sdk = new NodeSDK({ serviceName: service, traceExporter, metricReaders });
  sdk.start();
  return () => sdk.shutdown();
}

type Headers = NonNullable<JetStreamDelivery['headers']>;
const getter: TextMapGetter<Headers> = {
  keys: (carrier) => carrier.keys(),
  get: (carrier, key) => carrier.get(key) || undefined,
};
