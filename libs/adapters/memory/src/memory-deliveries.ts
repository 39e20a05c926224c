import {
  type ConsumerName,
  type Consuming,
  type DeadLetters,
  Deliveries,
  DELIVERY_DEFAULTS,
  type DeliveryOptions,
  type HandleDelivery,
} from '@millrace/ports';
import { MemoryConsuming } from './memory-consuming.js';
import type { ProcessParts } from './process-parts.js';

export class MemoryDeliveries extends Deliveries {
  constructor(
    private readonly parts: ProcessParts,
    private readonly deadLetters: Pick<DeadLetters, 'add'>,
  ) {
    super();
  }

  async consume(consumer: ConsumerName, handle: HandleDelivery, options: DeliveryOptions = {}): Promise<Consuming> {
    const all = { ...DELIVERY_DEFAULTS, ...options, name: consumer };
    return new MemoryConsuming(this.parts, this.deadLetters, handle, all);
  }
}
