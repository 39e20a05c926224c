import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { all, aStory, eventAt, someEvents, token } from '../events.for-spec.js';
import { beginSse, frameOf, json, problem, serveLog, SpecServer } from '../run-server.for-spec.js';
import { mergeTokenDeltas } from '../tokens/token-deltas.js';
import type { ConnectionState } from './sse-follow.js';
import type { PublicEvent } from '@millrace/contracts';
import type { TokenDelta } from './public-event.js';

const RUN = '01JD0000000000000000000002';
let server: SpecServer;

beforeAll(async () => {
  server = await SpecServer.start();
});
afterAll(() => server.stop());

const streamsAsked = () => server.asked.filter(({ path }) => path.endsWith('/stream'));
const pagesAsked = () => server.asked.filter(({ path }) => path.endsWith('/events'));
const follow = (options = {}) => all(server.client().streamRun(RUN, options));

describe('streamRun', () => {
  it('gives every event from the first to the terminal one, and ends', async () => {
    const story = aStory(5);
    server.answers(
      serveLog(story, (events, response) => {
        beginSse(response);
        response.write(`: beat\n\n${events.map(frameOf).join('')}`); // and stays open
      }),
    );
    expect(await follow()).toEqual(story);
    expect(streamsAsked()).toEqual([
      expect.objectContaining({
        path: `/agents/runs/${RUN}/stream`,
        query: { fromSeq: '0' },
        headers: expect.objectContaining({ accept: 'text/event-stream' }),
      }),
    ]);
  });

  it('begins where it is told to', async () => {
    const story = aStory(5);
    server.answers(
      serveLog(story, (events, response) => (beginSse(response), response.end(events.map(frameOf).join('')))),
    );
    expect(await follow({ fromSeq: 4 })).toEqual(story.slice(4));
  });

  it('ends at once when the server has nothing more', async () => {
    server.answers((_, response) => void response.writeHead(204).end());
    expect(await follow({ fromSeq: 8 })).toEqual([]);
    expect(server.asked).toHaveLength(1);
  });

  it('gives the same story over connections that break anywhere, repeat, leave out and leak', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { minLength: 1, maxLength: 12 }), fc.nat(), async (dice, seed) => {
        const story = aStory(20);
        let throws = seed;
        const roll = (sides: number) => ((dice[throws++ % dice.length] ?? 0) + throws) % sides;
        let connections = 0;
        server.answers(
          serveLog(story, (events, response) => {
            beginSse(response);
            const isLast = ++connections > 6; // bad luck ends
            const sent = events.flatMap((event, at) => {
              if (isLast) return [event];
              const luck = roll(8);
              if (luck === 0) return []; // lost
              if (luck === 1) return [event, event]; // twice
              if (luck === 2) return [events[Math.max(0, at - 3)] as PublicEvent, event]; // an old one again
              if (luck === 3) return [{ ...eventAt(0, 'NodeScheduled'), sequence: undefined }, event]; // leaked
              return [event];
            });
            const text = (sent as PublicEvent[]).map(frameOf).join('');
            const cut = isLast ? text.length : roll(text.length + 1);
            response.write(text.slice(0, cut), () => response.destroy());
          }),
        );
        expect(await follow()).toEqual(story);
      }),
      { numRuns: 60 },
    );
  });

  it('reads what is missing page by page before it goes on, and gives no event twice', async () => {
    const story = aStory(250);
    const gaps: unknown[] = [];
    server.answers(
      serveLog(story, (events, response) => {
        beginSse(response);
        response.write(
          events
            .filter(({ sequence }) => sequence < 3 || sequence > 220)
            .map(frameOf)
            .join(''),
        );
      }),
    );
    expect(await follow({ onGap: (gap: unknown) => gaps.push(gap) })).toEqual(story);
    expect(gaps).toEqual([{ fromSeq: 3, toSeq: 220 }]);
    expect(pagesAsked().map(({ query }) => query)).toEqual(
      [3, 103, 203].map((from) => ({ fromSeq: String(from), limit: '100' })),
    );
  });

  it('takes deltas the server merged for a slow reader as the events they stand for', async () => {
    const story = someEvents(['RunStarted', 'a', 'b', 'c', 'RunFinished']);
    const [started, a, b, c, finished] = story as [PublicEvent, TokenDelta, TokenDelta, TokenDelta, PublicEvent];
    const merged = mergeTokenDeltas([a, b, c]);
    server.answers(
      serveLog(
        story,
        (_, response) => (beginSse(response), response.end([started, merged, finished].map(frameOf).join(''))),
      ),
    );
    expect(await follow()).toEqual([started, merged, finished]);
    expect(pagesAsked()).toEqual([]);
    // One that begins before the cursor holds text that is here already.
    expect(await follow({ fromSeq: 2 })).toEqual([b, c, finished]);
    expect(pagesAsked()).toHaveLength(1);
  });

  it('keeps what is not for clients to itself, and goes on behind it', async () => {
    const hidden = { ...eventAt(1, 'ToolRequested'), tool: 'transfer_to_critic' } as PublicEvent;
    const unknown = { ...eventAt(2, 'LogWritten'), kind: 'CitationAdded' as 'LogWritten' } as PublicEvent;
    const story = [eventAt(0, 'RunStarted'), hidden, unknown, eventAt(3, 'RunFinished')];
    server.answers(
      serveLog(story, (events, response) => (beginSse(response), response.end(events.map(frameOf).join('')))),
    );
    expect((await follow()).map(({ kind }) => kind)).toEqual(['RunStarted', 'RunFinished']);
    expect(pagesAsked()).toEqual([]);
  });

  it('renews its token when the server ends the stream for it, and goes on at its cursor', async () => {
    const story = aStory(4);
    server.answers(
      serveLog(story, (events, response, { headers }) => {
        if (headers.authorization === 'Bearer old' && events.length < story.length) {
          return json(response, 401, problem(401, 'UNAUTHENTICATED'));
        }
        beginSse(response);
        if (headers.authorization === 'Bearer new') return response.end(events.map(frameOf).join(''));
        const closing = 'event: closing\ndata: {"code":"TOKEN_EXPIRED","cursor":"2"}\n\n';
        return response.end(events.slice(0, 3).map(frameOf).join('') + closing);
      }),
    );
    let token = 'old';
    const refreshes: boolean[] = [];
    const getToken = ({ refresh }: { refresh: boolean }) => {
      refreshes.push(refresh);
      if (refresh) token = 'new';
      return token;
    };
    const states: ConnectionState[] = [];
    const onConnection = (state: ConnectionState) => states.push(state);
    expect(await all(server.client({ getToken }).streamRun(RUN, { onConnection }))).toEqual(story);
    expect(refreshes.filter(Boolean)).toHaveLength(1);
    expect(streamsAsked().map(({ query }) => query['fromSeq'])).toEqual(['0', '3', '3']);
    expect(states).toEqual([
      ...[{ state: 'connecting' }, { state: 'open' }],
      { state: 'waiting', because: expect.objectContaining({ code: 'TOKEN_EXPIRED' }) },
      ...[{ state: 'connecting' }, { state: 'open' }, { state: 'ended' }],
    ]);
  });

  it('takes a connection for dead that has become silent, but not one that only beats', async () => {
    const story = aStory(2);
    let beats = 0;
    server.answers(
      serveLog(story, (events, response) => {
        beginSse(response);
        response.write(events.slice(0, 2).map(frameOf).join(''));
        if (events.length === story.length) return; // and nothing more
        const beating = setInterval(() => {
          response.write(': beat\n\n');
          if (++beats < 10) return;
          clearInterval(beating);
          response.end(events.slice(2).map(frameOf).join(''));
        }, 50);
      }),
    );
    const lost: string[] = [];
    const onConnection = (state: ConnectionState) => {
      if (state.state === 'waiting') lost.push((state.because as { code?: string }).code ?? '');
    };
    expect(await follow({ silenceMs: 400, onConnection })).toEqual(story);
    expect(lost).toEqual(['STREAM_SILENT']);
  });

  it('comes back after 503, at the earliest when it was asked to', async () => {
    const story = aStory(1);
    let refusals = 0;
    server.answers(
      serveLog(story, (events, response) => {
        if (++refusals <= 2) return json(response, 503, problem(503, 'RUN_LOG_UNAVAILABLE'), { 'retry-after': '0' });
        beginSse(response);
        return response.end(events.map(frameOf).join(''));
      }),
    );
    expect(await follow()).toEqual(story);
    expect(streamsAsked()).toHaveLength(3);
  });

  it.each([
    [404, 'RUN_NOT_FOUND'],
    [403, 'FORBIDDEN'],
    [400, 'VALIDATION_FAILED'],
    [401, 'UNAUTHENTICATED'],
  ])('throws what no other connection would cure: %i %s', async (status, code) => {
    server.answers((_, response) => json(response, status, problem(status, code)));
    await expect(follow()).rejects.toMatchObject({ status, code });
    expect(server.asked).toHaveLength(1);
  });

  it('gives up on events that are missing and that nobody has, once it has asked often enough', async () => {
    const story = aStory(3);
    server.answers(
      serveLog([], (_, response) => (beginSse(response), response.end(story.slice(2).map(frameOf).join('')))),
    );
    await expect(follow()).rejects.toMatchObject({ code: 'STREAM_BROKEN' });
    expect(streamsAsked()).toHaveLength(5);
  });

  it('gives up on a stream that is not one', async () => {
    server.answers((_, response) => (beginSse(response), void response.end('data: <html>\n\n')));
    await expect(follow()).rejects.toMatchObject({ code: 'STREAM_BROKEN' });
  });

  it('ends when it is aborted: while it reads, while it waits, and before it begins', async () => {
    const story = aStory(3);
    server.answers(
      serveLog(
        story,
        (events, response) => (beginSse(response), void response.write(frameOf(events[0] as PublicEvent))),
      ),
    );
    const reading = new AbortController();
    const taken: PublicEvent[] = [];
    for await (const event of server.client().streamRun(RUN, { signal: reading.signal })) {
      taken.push(event);
      reading.abort();
    }
    expect(taken).toEqual(story.slice(0, 1));

    server.answers((_, response) => json(response, 503, problem(503, 'RUN_LOG_UNAVAILABLE'), { 'retry-after': '60' }));
    const waiting = new AbortController();
    const onConnection = ({ state }: ConnectionState) => state === 'waiting' && waiting.abort();
    expect(await follow({ signal: waiting.signal, onConnection })).toEqual([]);

    server.answers(() => undefined);
    expect(await follow({ signal: AbortSignal.abort() })).toEqual([]);
    expect(server.asked).toEqual([]);
  });

  it('closes its connection when the loop is left', async () => {
    const story = aStory(3);
    let closed: Promise<void> | undefined;
    server.answers(
      serveLog(story, (events, response) => {
        closed = new Promise((resolve) => response.once('close', resolve));
        beginSse(response);
        response.write(frameOf(events[0] as PublicEvent));
      }),
    );
    for await (const event of server.client().streamRun(RUN)) if (event.sequence === 0) break;
    await closed;
    for await (const event of server.client().streamRun(RUN, { coalesce: true })) if (event.sequence === 0) break;
    await closed;
  });

  it('merges tokens on request, and loses none at the end', async () => {
    const story = [...aStory(50).slice(0, -1), ...[token(52, 'tail')], eventAt(53, 'RunFinished')];
    server.answers(
      serveLog(story, (events, response) => (beginSse(response), response.end(events.map(frameOf).join('')))),
    );
    const merged = await follow({ coalesce: true });
    expect(merged.map(({ kind }) => kind)).toEqual(['RunStarted', 'NodeStarted', 'TokenDelta', 'RunFinished']);
    expect(merged[2]).toMatchObject({
      ...{ sequence: 52, fromSequence: 2 },
      text: story.flatMap((event) => (event.kind === 'TokenDelta' ? [event.text] : [])).join(''),
    });
  });
});
