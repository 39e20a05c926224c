import { type RunRef, subjects } from '@millrace/contracts';
import { type EventDraft, EMPTY_TAIL, stampEvent } from '@millrace/ports';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { createInbox, headers, type NatsConnection } from '@nats-io/nats-core';

/** The same bytes over the client library alone, without validation, stamps or recovery: what cannot be beaten. */
export class RawLog {
  readonly #js: JetStreamClient;

  constructor(private readonly nats: NatsConnection) {
    this.#js = jetstream(nats);
  }

  /** What a message of ours weighs, made beforehand. */
  bodyOf(run: RunRef, draft: EventDraft): string {
    return stampEvent(run, draft, EMPTY_TAIL).text;
  }

  async append(run: RunRef, eventId: string, body: string, lastSubjectSequence: number): Promise<number> {
    const built = headers();
    built.set('Millrace-Position', '0');
    built.set('Millrace-Sequence', '0');
    const { seq } = await this.#js.publish(subjects.event({ ...run, kind: 'TokenDelta' }), body, {
      msgID: eventId,
      headers: built,
      expect: { lastSubjectSequence, lastSubjectSequenceSubject: subjects.run(run) },
    });
    return seq;
  }

  /** Every message of the run by direct gets of `batch` messages each, parsed as JSON. */
  async read(run: RunRef, batch: number, until = Number.POSITIVE_INFINITY): Promise<number> {
    const inbox = createInbox();
    let count = 0;
    let from = 1;
    for (let isAtEnd = false; !isAtEnd && count < until;) {
      await new Promise<void>((resolve, reject) => {
        const replies = this.nats.subscribe(inbox, {
          callback: (error, message) => {
            if (error) return reject(error);
            const code = message.headers?.code ?? 0;
            if (code === 0) {
              JSON.parse(message.string());
              count += 1;
              from = Number(message.headers?.get('Nats-Sequence')) + 1;
              return;
            }
            isAtEnd = code === 404 || message.headers?.get('Nats-Num-Pending') === '0';
            replies.unsubscribe();
            resolve();
          },
        });
        const query = { seq: from, next_by_subj: subjects.run(run), batch };
        this.nats.publish('$JS.API.DIRECT.GET.RUNS', JSON.stringify(query), { reply: inbox });
      });
    }
    return count;
  }
}
