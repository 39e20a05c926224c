import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { eventAt } from '../events.for-spec.js';
import { beginSse, SpecServer } from '../run-server.for-spec.js';
import type { FeedItem } from './event-feed.js';

let server: SpecServer;
beforeAll(async () => {
  server = await SpecServer.start();
});
afterAll(() => server.stop());

const LOG = (['RunStarted', 'InputRequested', 'NodeScheduled', 'RunFailed'] as const).map((kind, at) =>
  eventAt(at, kind),
);
const send = (response: ServerResponse, from: number, to: number): void => {
  beginSse(response);
  const frames = LOG.slice(from, to).map((event, at) => `id: c${from + at}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end(frames.join(''));
};

describe('The feed over many runs', () => {
  it('goes on at its cursor over connections that end, and shows nothing internal', async () => {
    server.answers(({ query }, response) => {
      const after = query['after'];
      if (after === 'start') return send(response, 0, 2);
      return send(response, Number(after?.slice(1)) + 1, LOG.length);
    });
    const items: FeedItem[] = [];
    const which = { kinds: ['RunStarted', 'InputRequested', 'RunFailed'], agent: 'echo', after: 'start' } as const;
    for await (const item of server.client().streamFeed(which)) {
      items.push(item);
      if (item.event.kind === 'RunFailed') break;
    }
    expect(items.map(({ event, cursor }) => [event.kind, cursor])).toEqual([
      ['RunStarted', 'c0'],
      ['InputRequested', 'c1'],
      ['RunFailed', 'c3'],
    ]);
    const filter = { kinds: 'RunStarted,InputRequested,RunFailed', agent: 'echo' };
    expect(server.asked.map(({ path, query }) => [path, query])).toEqual([
      ['/agents/events', { ...filter, after: 'start' }],
      ['/agents/events', { ...filter, after: 'c1' }],
    ]);
  });

  it('says nothing of what was not asked for', async () => {
    server.answers((_, response) => send(response, 0, 1));
    for await (const { cursor } of server.client().streamFeed()) if (cursor === 'c0') break;
    expect(server.asked[0]?.query).toEqual({});
  });
});
