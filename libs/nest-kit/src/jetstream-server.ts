import {
  type ConsumerOptions,
  type JetStreamDelivery,
  DurableConsumer,
  type NatsConnection,
} from '@millrace/adapter-jetstream';
import { ConfigInvalid } from '@millrace/kernel';
import { done, type Outcome } from '@millrace/ports';
import { BaseRpcContext, type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { matches } from './subject-patterns.js';
import { inConsumerSpan } from './telemetry.js';

export const JETSTREAM = Symbol('jetstream');

/** What a handler is given beside the payload: `@Ctx() { delivery }`. */
export class JetStreamContext extends BaseRpcContext<[JetStreamDelivery]> {
  get delivery(): JetStreamDelivery {
    return this.args[0];
  }
}

export interface JetStreamServerOptions extends ConsumerOptions {
  readonly nats: NatsConnection;
  /** How long messages in hand may take once the service is told to stop. */
  readonly graceMs: number;
}

/**
 * A durable consumer as a Nest transport: a service declares its handlers with `@EventPattern` on subjects. A handler
 * answers with an Outcome, or with nothing, which means done; what it throws is judged by the consumer. Errors arrive
 * as they were thrown, because PassErrorsOn hands them on.
 */
export class JetStreamServer extends Server implements CustomTransportStrategy {
  override readonly transportId = JETSTREAM;
  override readonly propagatesEventHandlerErrors = true;
  #consumer: DurableConsumer | undefined;

  constructor(private readonly options: JetStreamServerOptions) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    this.open().then(() => callback(), callback);
  }

  async close(): Promise<void> {
    await this.#consumer?.close(this.options.graceMs);
  }

  on(): never {
    throw new TypeError('A durable consumer has no events to listen to');
  }

  unwrap<T>(): T {
    return this.options.nats as T;
  }

  private async open(): Promise<void> {
    const { nats, graceMs, ...consumer } = this.options;
    if (this.messageHandlers.size === 0) throw new ConfigInvalid(`Consumer ${consumer.durable} has no handler`);
    this.#consumer = await DurableConsumer.open(nats, consumer, (delivery) => this.deliver(delivery));
  }

  private async deliver(delivery: JetStreamDelivery): Promise<Outcome> {
    const handler = this.handlerOf(delivery.subject);
    // Thrown, not ignored: a subject the consumer is given and nobody handles is a mistake in the declaration.
    if (!handler) throw new ConfigInvalid(`No handler for ${delivery.subject} of consumer ${this.options.durable}`);
    return inConsumerSpan(delivery, async () => {
      const answer: unknown = await handler(delivery.data, new JetStreamContext([delivery]));
      const outcome: unknown = await lastValueFrom(this.transformToObservable(answer), { defaultValue: undefined });
      return isOutcome(outcome) ? outcome : done;
    });
  }

  private handlerOf(subject: string): MessageHandler | undefined {
    const exact = this.messageHandlers.get(subject);
    if (exact) return exact;
    for (const [pattern, handler] of this.messageHandlers) if (matches(pattern, subject)) return handler;
    return undefined;
  }
}

const isOutcome = (value: unknown): value is Outcome =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  ['done', 'retry', 'park', 'leave'].includes(String(value.kind));
