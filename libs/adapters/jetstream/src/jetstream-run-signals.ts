import { LIVE_PREFIX, parseSubject, type RunEventKind, type RunRef, subjects } from '@millrace/contracts';
import { type RunSignal, RunSignals } from '@millrace/ports';
import type { Msg, NatsConnection } from '@nats-io/nats-core';
import { streamSequenceIn } from './event-headers.js';

/** Republished messages: one plain subscription for each kind, however many runs there are. Bodies are not read. */
export class JetStreamRunSignals extends RunSignals {
  constructor(private readonly nats: NatsConnection) {
    super();
  }

  async listen(kinds: readonly RunEventKind[], hear: (signal: RunSignal) => void, run?: RunRef): Promise<() => void> {
    const callback = (_error: Error | null, message: Msg) => {
      const about = parseSubject(message.subject.slice(LIVE_PREFIX.length + 1));
      if (about?.type !== 'run') return;
      const { tenantId, runId, kind } = about;
      hear({ run: { tenantId, runId }, kind, place: streamSequenceIn(message.headers) });
    };
    const subscriptions = kinds.map((kind) => this.nats.subscribe(subjects.liveKind(kind, run), { callback }));
    await this.nats.flush(); // the server has the subscriptions once it answers
    return () => {
      for (const subscription of subscriptions) subscription.unsubscribe();
    };
  }
}
