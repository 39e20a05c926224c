import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { coalesceTokenDeltas, type MillraceClient, type PublicEvent } from '@millrace/client';
import { isPublic, type RunId } from '@millrace/contracts';
import { ulid } from 'ulid';
import { Web } from './web.for-spec.js';

const ORDER = { appId: 'e2e', policy: 'default' };

describe('The client with the services as they are', () => {
  let web: Web;
  let client: MillraceClient;
  beforeAll(async () => {
    web = await Web.start();
    client = await web.client();
  });
  afterAll(() => web?.stop());

  const follow = async (runId: string, options = {}): Promise<PublicEvent[]> => {
    const events: PublicEvent[] = [];
    for await (const event of client.streamRun(runId, options)) events.push(event);
    return events;
  };
  const logOf = async (runId: RunId) => {
    const { events } = await web.cluster.log.read({ tenantId: web.cluster.tenantId, runId });
    return events.filter(isPublic);
  };

  it('starts a run once however often it asks under one key, follows it and reads all about it', async () => {
    const order = { ...ORDER, agent: 'echo', input: { text: 'the mill turns' } };
    const { runId } = await client.runs.create(order, { idempotencyKey: 'one' });
    expect(await client.runs.create(order, { idempotencyKey: 'one' })).toEqual({ runId });
    const events = await follow(runId);
    expect(events).toEqual(await logOf(runId));
    expect(events.at(-1)).toMatchObject({ kind: 'RunFinished', output: { text: 'the mill turns' } });

    expect(await follow(runId, { fromSeq: 3 })).toEqual(events.slice(3));
    expect(await follow(runId, { fromSeq: events.length })).toEqual([]);
    const merged = await follow(runId, { coalesce: true });
    expect(coalesceTokenDeltas(merged)).toEqual(coalesceTokenDeltas(events));

    expect(await client.runs.get(runId)).toMatchObject({
      id: runId,
      status: 'SUCCEEDED',
      output: { text: 'the mill turns' },
    });
    expect(await client.runs.events(runId, { fromSeq: 1, limit: 2 })).toEqual({
      events: events.slice(1, 3),
      hasMore: true,
    });
    expect((await client.runs.steps(runId)).steps).toEqual([expect.objectContaining({ state: 'SUCCESS' })]);
    expect((await client.runs.messages(runId)).messages.length).toBeGreaterThan(0);
    expect((await client.runs.trail(runId)).trail.length).toBeGreaterThan(0);
    expect(await client.runs.logs(runId)).toEqual({ logs: [] });
    expect((await client.runs.done(runId)).status).toBe('SUCCEEDED');

    const { runId: second } = await client.runs.retry(runId, { note: 'again' });
    expect((await follow(second)).at(-1)?.kind).toBe('RunFinished');
    expect(await client.runs.get(second)).toMatchObject({ retryOf: runId });
  });

  it('lists runs over pages', async () => {
    const made = new Set<string>();
    for (let each = 0; each < 5; each += 1) {
      made.add(
        (await client.runs.create({ ...ORDER, agent: 'echo', input: { text: 'x' }, projectId: 'listed' })).runId,
      );
    }
    const listed = async () => {
      const ids: string[] = [];
      for await (const { id } of client.runs.each({ projectId: 'listed', limit: 2 })) ids.push(id);
      return ids;
    };
    let ids = await listed();
    while (ids.length < made.size) ids = await listed(); // the read models are a moment behind
    expect(new Set(ids)).toEqual(made);
  });

  it('pauses, resumes, answers and cancels', async () => {
    const { runId } = await client.runs.create({ ...ORDER, agent: 'chat', input: { text: 'the mill turns' } });
    for await (const event of client.streamRun(runId)) {
      if (event.kind !== 'InputRequested') continue;
      expect((await client.runs.get(runId)).openInputs).toEqual([
        expect.objectContaining({ requestId: event.requestId }),
      ]);
      expect(await client.runs.pause(runId)).toEqual({ status: 'PAUSED' });
      expect(await client.runs.resume(runId)).toEqual({ status: 'RUNNING' });
      await client.runs.answer(runId, event.requestId, { text: 'Ada' });
      await expect(client.runs.answer(runId, event.requestId, { text: 'Bob' })).rejects.toMatchObject({
        ...{ status: 409, code: 'INPUT_ALREADY_ANSWERED' },
      });
      break;
    }
    expect(await client.runs.cancel(runId, { reason: 'enough' })).toEqual({ status: 'CANCELED_REQUESTED' });
    expect((await follow(runId)).at(-1)).toMatchObject({ kind: 'RunCanceled', reason: 'enough' });
  });

  it('speaks in threads', async () => {
    const { threadId } = await client.threads.create({ agent: 'echo', title: 'Mills' });
    expect(await client.threads.get(threadId)).toMatchObject({ id: threadId, title: 'Mills' });
    const { runId } = await client.threads.say(threadId, { content: 'the mill turns' });
    const frames = [];
    for await (const frame of client.threads.events(runId)) frames.push(frame);
    expect(frames.slice(-2)).toEqual([
      { event: 'final', data: expect.objectContaining({ text: 'the mill turns' }) as unknown },
      { event: 'state', data: { status: 'done' } },
    ]);
    expect(await client.threads.run(runId)).toMatchObject({ id: runId, status: 'done' });
  });

  it('hears of all runs through one feed, and goes on in it where it was', async () => {
    const ids: string[] = [];
    for (let each = 0; each < 4; each += 1) {
      const { runId } = await client.runs.create({ ...ORDER, agent: 'echo', input: { text: 'x' } });
      ids.push(runId);
      await follow(runId);
    }
    const which = { kinds: ['RunFinished'], agent: 'echo' } as const;
    const take = async (after: string, until: string | undefined) => {
      const heard: { runId: string; cursor: string }[] = [];
      for await (const { event, cursor } of client.streamFeed({ ...which, after })) {
        heard.push({ runId: event.runId, cursor });
        if (event.runId === until) break;
      }
      return heard;
    };
    const before = await take('start', ids[1]);
    const after = await take(before.at(-1)?.cursor ?? '', ids[3]);
    expect([...before, ...after].map(({ runId }) => runId).slice(-4)).toEqual(ids);
    expect(after).toHaveLength(2);
  });

  it('is told why, in codes, when it asks for what it cannot have', async () => {
    await expect(client.runs.get(ulid())).rejects.toMatchObject({ status: 404, code: 'RUN_NOT_FOUND' });
    await expect(follow(ulid())).rejects.toMatchObject({ status: 404, code: 'RUN_NOT_FOUND' });
    await expect(client.runs.get('x')).rejects.toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field: 'id' }] });
    const stranger = await web.client({ getToken: () => 'nonsense' });
    await expect(stranger.runs.list()).rejects.toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });

  it('follows a run over gateways that are killed, and misses and repeats nothing', async () => {
    const input = { steps: 6, tokensPerStep: 40, tokensPerSecond: 200 };
    const { runId } = await client.runs.create({ ...ORDER, agent: 'treadmill', input });
    const events: PublicEvent[] = [];
    let kills = 0;
    for await (const event of client.streamRun(runId)) {
      events.push(event);
      if (event.kind === 'NodeFinished' && kills < 3) {
        kills += 1;
        await web.replace('stream-gateway');
      }
    }
    expect(kills).toBe(3);
    expect(events).toEqual(await logOf(runId));
  });

  it('goes on with a new token when its own expires under it', async () => {
    const { runId } = await client.runs.create({ ...ORDER, agent: 'chat', input: { text: 'the mill turns' } });
    let token = await web.cluster.token({}, '2s');
    const renewed: string[] = [];
    const getToken = async ({ refresh }: { refresh: boolean }) => {
      if (refresh) renewed.push((token = await web.cluster.token()));
      return token;
    };
    const lost: string[] = [];
    const brief = await web.client({ getToken });
    const events: PublicEvent[] = [];
    const answers = [{ text: 'Ada' }, { choice: 'words' }];
    const onConnection = (state: { state: string; because?: Error }) => {
      if (state.state === 'waiting') lost.push((state.because as Error & { code: string }).code);
      // Nobody answers before the token is gone, so the stream has to outlive it.
      if (state.state === 'open' && renewed.length > 0) void answerNext();
    };
    const answerNext = async () => {
      const { openInputs } = await client.runs.get(runId);
      const [open] = openInputs;
      const answer = answers.shift();
      if (open && answer) await client.runs.answer(runId, open.requestId, answer);
    };
    for await (const event of brief.streamRun(runId, { onConnection })) {
      events.push(event);
      if (event.kind === 'InputRequested' && renewed.length > 0) await answerNext();
    }
    expect(lost).toContain('TOKEN_EXPIRED');
    expect(renewed).toHaveLength(1);
    expect(events).toEqual(await logOf(runId));
  });
});
