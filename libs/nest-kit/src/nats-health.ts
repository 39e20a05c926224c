import type { NatsConnection } from '@millrace/adapter-jetstream';
import { Logger } from '@nestjs/common';

/** Whether the connection stands, with one log line when it goes and one when it is back. */
export class NatsHealth {
  readonly #log = new Logger('Nats');
  #isConnected = true;

  constructor(nats: NatsConnection) {
    void this.#watch(nats);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  async #watch(nats: NatsConnection): Promise<void> {
    for await (const { type } of nats.status()) {
      if (type === 'disconnect' && this.#isConnected) this.#log.warn('The connection to NATS is lost; reconnecting');
      if (type === 'reconnect') this.#log.log('The connection to NATS is back');
      if (type === 'disconnect' || type === 'reconnect') this.#isConnected = type === 'reconnect';
    }
  }
}
