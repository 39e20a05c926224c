import { type DeadLetter, DeadLetters, type StorePlace } from '@millrace/ports';
import { bytesOf, type StoredMessage } from './memory-stream.js';
import type { ProcessParts } from './process-parts.js';

type Told = Omit<DeadLetter, 'id' | 'data'>;

export class MemoryDeadLetters extends DeadLetters {
  constructor(private readonly parts: ProcessParts) {
    super();
  }

  async add({ data, ...told }: Omit<DeadLetter, 'id'>): Promise<void> {
    const id = [told.stream, told.consumer, told.streamSequence || told.subject].join('.');
    const headers: Told = { ...told, reason: oneLine(told.reason) };
    const letter = { subject: `dead.${told.consumer}`, data: data.slice(), id, headers };
    await this.parts.wire.ask('write', () => this.parts.store.deadLetters.store(letter));
  }

  list(limit: number, afterId: StorePlace = 0): Promise<DeadLetter[]> {
    const { store, wire } = this.parts;
    return wire.ask('read', () => store.deadLetters.messages.slice(afterId, afterId + limit).map(letterOf));
  }
}

const letterOf = (message: StoredMessage): DeadLetter => ({
  ...(message.headers as Told),
  id: message.place,
  data: bytesOf(message),
});

/** As the real ones keep it, in a header. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 1_000);
