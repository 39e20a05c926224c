import {
  type ConsumerName,
  type Consuming,
  Deliveries,
  type DeliveryOptions,
  type HandleDelivery,
} from '@millrace/ports';
import type { NatsConnection } from '@nats-io/nats-core';
import { DurableConsumer } from './durable-consumer.js';
import { STREAMS, type StreamName } from './topology.js';

/** Which stream each of the consumers takes from. */
export const STREAM_OF: Readonly<Record<ConsumerName, StreamName>> = {
  orchestrator: STREAMS.runs,
  'orchestrator-timers': STREAMS.timers,
  'run-api-retries': STREAMS.runs,
  'node-workers': STREAMS.tasks,
};

export class JetStreamDeliveries extends Deliveries {
  constructor(private readonly nats: NatsConnection) {
    super();
  }

  consume(durable: ConsumerName, handle: HandleDelivery, options: DeliveryOptions = {}): Promise<Consuming> {
    return DurableConsumer.open(this.nats, { ...options, stream: STREAM_OF[durable], durable }, handle);
  }
}
