import { reasonOf } from '@millrace/application';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

/**
 * A promise that an author's code began and nobody waits for ends the process when it is rejected, and with it the work of
 * every other run in it. Whatever the body waits for it still gets: so it is told, and the worker goes on.
 */
export class StrayRejections implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #log = new Logger('Bodies');
  readonly #tell = (reason: unknown): void => {
    const message = `A promise nobody waits for was rejected: ${reasonOf(reason).slice(0, 2_000)}`;
    this.#log.error({ message, stack: reason instanceof Error ? reason.stack : undefined });
  };

  onApplicationBootstrap(): void {
    process.on('unhandledRejection', this.#tell);
  }

  onApplicationShutdown(): void {
    process.off('unhandledRejection', this.#tell);
  }
}
