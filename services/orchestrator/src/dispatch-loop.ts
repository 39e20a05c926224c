import type { Dispatcher } from '@millrace/application';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';

/** Lets the dispatcher run as long as the service does. */
export class DispatchLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly dispatcher: Dispatcher) {}

  get role(): Dispatcher['role'] {
    return this.dispatcher.role;
  }

  onApplicationBootstrap(): void {
    this.#running = this.dispatcher.run(this.#stopping.signal);
  }

  /** Gives the lease back, so that another instance leads at once. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }
}
