import { type DeadLetter, DeadLetters, type StorePlace } from '@millrace/ports';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/nats-core';
import { DirectReader, type StoredMessage } from './direct-reader.js';
import { subjectIn } from './event-headers.js';
import { STREAMS } from './topology.js';

const FIELD = {
  reason: 'Millrace-Dead-Reason',
  attempts: 'Millrace-Dead-Attempts',
  subject: 'Millrace-Dead-Subject',
  stream: 'Millrace-Dead-Stream',
  streamSequence: 'Millrace-Dead-Sequence',
} as const;

/** The body stays as it was and the rest is in headers, so that the NATS CLI shows a dead letter like the original. */
export class JetStreamDeadLetters extends DeadLetters {
  readonly #js: JetStreamClient;
  readonly #reader: DirectReader;

  constructor(nats: NatsConnection) {
    super();
    this.#js = jetstream(nats);
    this.#reader = new DirectReader(nats, STREAMS.deadLetters);
  }

  async add({ consumer, data, ...about }: Omit<DeadLetter, 'id'>): Promise<void> {
    const built = headers();
    built.set(FIELD.reason, oneLine(about.reason));
    built.set(FIELD.attempts, String(about.attempts));
    built.set(FIELD.subject, about.subject);
    built.set(FIELD.stream, about.stream);
    built.set(FIELD.streamSequence, String(about.streamSequence));
    const msgID = [about.stream, consumer, about.streamSequence || about.subject].join('.'); // not every place is known
    await this.#js.publish(`dead.${consumer}`, data, { msgID, headers: built });
  }

  async list(limit: number, afterId: StorePlace = 0): Promise<DeadLetter[]> {
    const { items } = await this.#reader.page('dead.>', afterId + 1, limit, letterOf);
    return items;
  }
}

const letterOf = ({ streamSequence: id, headers: found, data }: StoredMessage): DeadLetter => ({
  id,
  consumer: subjectIn(found).slice('dead.'.length),
  reason: found?.get(FIELD.reason) ?? '',
  attempts: Number(found?.get(FIELD.attempts)),
  subject: found?.get(FIELD.subject) ?? '',
  stream: found?.get(FIELD.stream) ?? '',
  streamSequence: Number(found?.get(FIELD.streamSequence)),
  data,
});

/** A header ends at the line's end. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 1_000);
