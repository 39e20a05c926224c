import { afterEach, describe, expect, it } from '@jest/globals';
import { InMemoryRunLog } from '@millrace/adapter-memory';
import {
  aRunId,
  aTenantId,
  EventId,
  FACT_FIXTURES,
  firstSequenceOf,
  type PublicEvent,
  type RunFact,
} from '@millrace/contracts';
import { EMPTY_TAIL, type Tail } from '@millrace/ports';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { RunChannel } from './run-channel.js';
import { RunPages } from './run-pages.js';
import { RunReader } from './run-reader.js';
import { SseConnection } from './sse-connection.js';

let made = 0;
const nextId = () => EventId.parse(`01JD${String((made += 1)).padStart(22, '0')}`);
const run = { tenantId: aTenantId, runId: aRunId };
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A log that is written as fast as one likes, and one client of it that reads when it is told to. */
class SlowWorld {
  readonly log = new InMemoryRunLog();
  readonly #text: string[] = [];
  #tail: Tail = EMPTY_TAIL;

  private constructor(
    private readonly socket: Socket,
    readonly connection: SseConnection,
  ) {}

  static async open(): Promise<SlowWorld> {
    const server = createServer();
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const asked = once(server, 'request') as Promise<[unknown, ServerResponse]>;
    socket.write('GET / HTTP/1.0\r\n\r\n');
    const [, response] = await asked;
    const connection = new SseConnection(response, { retryMs: 1, expiresAt: Number.POSITIVE_INFINITY });
    const world = new SlowWorld(socket, connection);
    await world.say(FACT_FIXTURES.RunRequested, FACT_FIXTURES.RunStarted);
    connection.open({});
    const channel = await RunChannel.open(world.log, run);
    const pages = new RunPages(world.log, { maxBytes: 1e6, maxReads: 2 });
    new RunReader(channel!, pages, world.connection, { dialect: 'native', next: 0 }).start();
    return world;
  }

  async say(...facts: RunFact[]): Promise<void> {
    for (const fact of facts) {
      const draft = { ...fact, eventId: nextId(), ts: '2026-01-12T10:00:00.000Z' };
      this.#tail = (await this.log.append(run, draft, this.#tail)).tail;
      await turn();
    }
  }

  async heard(): Promise<PublicEvent[]> {
    for await (const chunk of this.socket) this.#text.push(String(chunk));
    const lines = this.#text.join('').split('\n');
    return lines.filter((line) => line.startsWith('data: ')).map((line) => JSON.parse(line.slice(6)) as PublicEvent);
  }
}

const token = (text: string): RunFact => ({ ...FACT_FIXTURES.TokenDelta, text });
const words = (events: readonly PublicEvent[]): string =>
  events.map((event) => (event.kind === 'TokenDelta' ? event.text : '')).join('');

describe('A reader that lags', () => {
  it('is sent its deltas merged, without a gap, and everything else as it is', async () => {
    const world = await SlowWorld.open();
    const piece = 'x'.repeat(16_000);
    let said = 0;
    while (!world.connection.isBlocked) await world.say(token(`${said++}${piece}`));
    for (let more = 0; more < 40; more += 1) await world.say(token(`${said++}.`));
    await world.say(FACT_FIXTURES.ToolRequested, token('after'), token(' all'), FACT_FIXTURES.RunFinished);
    const events = await world.heard();

    let expected = 0;
    for (const event of events) {
      expect(firstSequenceOf(event)).toBe(expected);
      expected = event.sequence + 1;
    }
    expect(expected).toBe(1 + said + 4);
    expect(words(events)).toBe(
      `${Array.from({ length: said }, (_, at) => `${at}${at < said - 40 ? piece : '.'}`).join('')}after all`,
    );
    expect(events.length).toBeLessThan(expected - 35);
    expect(events.map(({ kind }) => kind).slice(-3)).toEqual(['ToolRequested', 'TokenDelta', 'RunFinished']);
  });

  it('has nothing kept for it but what its socket holds', async () => {
    const world = await SlowWorld.open();
    while (!world.connection.isBlocked) await world.say(token('x'.repeat(16_000)));
    const sent = world.connection.bytesWaiting;
    for (let more = 0; more < 100; more += 1) await world.say(token('x'.repeat(16_000)));
    expect(world.connection.bytesWaiting).toBe(sent);
    expect(sent).toBeLessThan(256 * 1024);
  });
});
