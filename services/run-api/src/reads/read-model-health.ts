import type { Database } from '@millrace/adapter-postgres';
import type { StoreHealth } from '@millrace/application';
import { OutageLog } from '@millrace/nest-kit';
import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

const LOOK_EVERY_MS = 2_000;

/** Whether the read models answer, with one log line when they go and one when they are back. Lists need them. */
export class ReadModelHealth implements StoreHealth, OnApplicationBootstrap, OnApplicationShutdown {
  readonly #log = new Logger('ReadModels');
  readonly #outages = new OutageLog(this.#log);
  #looking: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  isAvailable(): boolean {
    return this.#outages.reason === undefined;
  }

  /** For readiness: what is missing, and what it costs. */
  get state(): string {
    return this.isAvailable() ? 'available' : `away, no lists: ${this.#outages.reason}`;
  }

  failed(error: unknown): void {
    this.#outages.failed(error);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#look();
  }

  onApplicationShutdown(): void {
    clearTimeout(this.#looking);
  }

  /** Not only while they are away: who watches the readiness wants to know before a list fails. */
  async #look(): Promise<void> {
    try {
      await this.database.ping();
      if (!this.isAvailable()) this.#log.log('The read models are back');
      this.#outages.recovered();
    } catch (error) {
      this.failed(error);
    }
    this.#looking = setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }
}
