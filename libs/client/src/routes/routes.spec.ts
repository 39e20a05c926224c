import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATIONS } from '@millrace/contracts';
import { all } from '../events.for-spec.js';
import type { MillraceClient } from '../millrace-client.js';
import { beginSse, json, SpecServer } from '../run-server.for-spec.js';

const ID = '01JD0000000000000000000002';
const REQUEST = '01JD0000000000000000000005';
const ORDER = { appId: 'demo', policy: 'default' };

/** By the id of its operation: how it is called, and the body that must arrive. */
const CALLS: Record<string, [call: (client: MillraceClient) => Promise<unknown>, body?: unknown]> = {
  createRun: [({ runs }) => runs.create(ORDER), ORDER],
  listRuns: [({ runs }) => runs.list()],
  getRun: [({ runs }) => runs.get(ID)],
  getRunEvents: [({ runs }) => runs.events(ID)],
  getRunSteps: [({ runs }) => runs.steps(ID)],
  getRunMessages: [({ runs }) => runs.messages(ID)],
  getRunTrail: [({ runs }) => runs.trail(ID)],
  getRunImprovement: [({ runs }) => runs.improvement(ID)],
  getRunLogs: [({ runs }) => runs.logs(ID)],
  getStreamTicket: [({ runs }) => runs.streamTicket(ID)],
  cancelRun: [({ runs }) => runs.cancel(ID, { reason: 'enough' }), { reason: 'enough' }],
  pauseRun: [({ runs }) => runs.pause(ID), {}],
  resumeRun: [({ runs }) => runs.resume(ID), {}],
  answerInput: [({ runs }) => runs.answer(ID, REQUEST, { text: 'Ada' }), { response: { text: 'Ada' } }],
  markRunDone: [({ runs }) => runs.done(ID, { note: 'good' }), { note: 'good' }],
  retryRun: [({ runs }) => runs.retry(ID, { note: 'shorter' }), { note: 'shorter' }],
  listAgents: [({ agents }) => agents.list()],
  getAgent: [({ agents }) => agents.get(ID)],
  getAgentVersion: [({ agents }) => agents.get(ID, { version: REQUEST })],
  runAgent: [({ agents }) => agents.start({ agent: 'echo', input: 1 }), { agent: 'echo', input: 1 }],
  answerAgent: [
    ({ agents }) => agents.input(ID, { requestId: REQUEST, response: { text: 'Ada' } }),
    { requestId: REQUEST, response: { text: 'Ada' } },
  ],
  abortAgent: [({ agents }) => agents.abort(ID), {}],
  createThread: [({ threads }) => threads.create({ title: 'Mills' }), { title: 'Mills' }],
  getThread: [({ threads }) => threads.get(ID)],
  postMessage: [({ threads }) => threads.say(ID, { content: 'hi' }), { content: 'hi' }],
  getThreadRun: [({ threads }) => threads.run(ID)],
  cancelThreadRun: [({ threads }) => threads.cancel(ID), {}],
};

let server: SpecServer;
beforeAll(async () => {
  server = await SpecServer.start();
});
afterAll(() => server.stop());

describe('The client', () => {
  it('has a method for every route there is', () => {
    expect(Object.keys(CALLS).sort()).toEqual(OPERATIONS.map(({ id }) => id).sort());
  });

  it.each(OPERATIONS)('calls $method $path', async ({ id, method, path, creates }) => {
    server.answers((_, response) => json(response, 200, { ok: id }));
    const [call, body] = CALLS[id] ?? [];
    expect(await call?.(server.client())).toEqual({ ok: id });
    const [asked] = server.asked;
    expect(asked?.method).toBe(method.toUpperCase());
    expect(asked?.path).toBe(path.replace(/:(id|runId|agent)\b/, ID).replace(/:(requestId|version)/, REQUEST));
    expect(asked?.body).toEqual(body);
    expect(asked?.headers['idempotency-key'] !== undefined).toBe(creates === 'by key');
  });

  it('reads a list page by page, with its filters on each', async () => {
    const pages = [
      { runs: [{ id: 'a' }, { id: 'b' }], nextCursor: 'c1' },
      { runs: [], nextCursor: 'c2' },
      { runs: [{ id: 'c' }] },
    ];
    server.answers((_, response) => json(response, 200, pages[server.asked.length - 1]));
    const listed = await all(server.client().runs.each({ status: 'FAILED', agent: undefined, limit: 2 }));
    expect(listed.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    const filter = { status: 'FAILED', limit: '2' };
    expect(server.asked.map(({ query }) => query)).toEqual([
      filter,
      { ...filter, cursor: 'c1' },
      { ...filter, cursor: 'c2' },
    ]);
  });

  it('makes the address of a stream for who cannot set headers', async () => {
    server.answers((_, response) => json(response, 201, { ticket: 'a.b+c', expiresAt: '2026-01-12T10:00:00.000Z' }));
    const client = server.client({ streamUrl: 'https://stream.example.com/' });
    expect(await client.runs.ticketedUrl(ID, { fromSeq: 3 })).toBe(
      `https://stream.example.com/agents/runs/${ID}/stream?ticket=a.b%2Bc&fromSeq=3`,
    );
  });

  it('tells a run in the words of threads, drops what was here before, and ends after its state', async () => {
    server.answers((_, response) => {
      beginSse(response);
      response.write('event: token\nid: 1\ndata: {"text":"an old one"}\n\n');
      response.write('event: token\nid: 2\ndata: {"text":"hi"}\n\n'.repeat(2));
      response.write(
        'event: final\ndata: {"text":"hi","sources":[]}\n\nevent: state\nid: 5\ndata: {"status":"done"}\n\n',
      );
    });
    expect(await all(server.client().threads.events(ID, { lastEventId: 1 }))).toEqual([
      { event: 'token', data: { text: 'hi' } },
      { event: 'final', data: { text: 'hi', sources: [] } },
      { event: 'state', data: { status: 'done' } },
    ]);
    expect(server.asked[0]).toMatchObject({ path: `/api/runs/${ID}/events`, query: { fromSeq: '2' } });
  });
});
