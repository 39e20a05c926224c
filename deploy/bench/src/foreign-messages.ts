import type { TenantId } from '@millrace/contracts';
import { createInbox, type NatsConnection } from '@nats-io/nats-core';

const KINDS = ['RunRequested', 'RunStarted', 'NodeStarted', 'ModelRequested', 'ModelResponded', 'InputRequested'];
const EACH_RUN = 10;
const BYTES = 300;
const MOST_ON_THE_WAY = 4_000;

/** Stores messages of other runs as fast as the server takes them: by the raw client, and no events of ours inside. */
export class ForeignMessages {
  readonly #body = new Uint8Array(BYTES).fill(97);
  #stored = 0;

  constructor(
    private readonly nats: NatsConnection,
    private readonly tenantId: TenantId,
  ) {}

  async store(count: number): Promise<void> {
    const inbox = createInbox();
    let acknowledged = 0;
    let onAck = () => {};
    const acks = this.nats.subscribe(inbox, {
      callback: () => {
        acknowledged += 1;
        onAck();
      },
    });
    for (let sent = 0; acknowledged < count;) {
      for (; sent < count && sent - acknowledged < MOST_ON_THE_WAY; sent += 1) {
        this.nats.publish(this.nextSubject(), this.#body, { reply: inbox });
      }
      await new Promise<void>((resolve) => (onAck = resolve));
    }
    acks.unsubscribe();
  }

  private nextSubject(): string {
    const run = Math.floor(this.#stored / EACH_RUN);
    const kind = KINDS[this.#stored % KINDS.length]!;
    this.#stored += 1;
    return `tenant.${this.tenantId}.run.${String(run).padStart(26, '0')}.${kind}`;
  }
}
