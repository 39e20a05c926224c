// Appends tokens to one run until it is refused. Every stored event is one line on stdout, the refusal is the last.
import { connectNats, JetStreamBlobStore, JetStreamRunLog, UlidEventIds } from '../dist/index.js';

const [url, run, start] = process.argv.slice(2);
const nats = await connectNats({ url, name: 'writer' });
const log = new JetStreamRunLog(nats, new JetStreamBlobStore(nats));
const ids = new UlidEventIds();
const speaker = { agentId: 'echo', node: 'plan', taskKey: '1/plan', iteration: 1, attempt: 1 };
let tail = JSON.parse(start);
try {
  for (;;) {
    const draft = { kind: 'TokenDelta', ...speaker, text: 'w', eventId: ids.next(), ts: new Date().toISOString() };
    ({ tail } = await log.append(JSON.parse(run), draft, tail));
    console.log(JSON.stringify({ stored: draft.eventId }));
  }
} catch (error) {
  console.log(JSON.stringify({ refused: error.code }));
}
await nats.close();
