import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aRequestId, InputRequest, RunDetail } from '@millrace/contracts';
import { expireInput, failRun, requestIdOf } from '@millrace/testing';
import { ApiWorld } from './api-world.for-spec.js';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
});
afterAll(() => world.stop());

const post = (url: string, body?: unknown, headers?: Record<string, string>) => world.post(url, body, headers);
const get = (url: string) => world.get(url);

describe('An answer to a request for input', () => {
  it('is taken once', async () => {
    const ref = await world.asking();
    const url = `/agents/runs/${ref.runId}/inputs/${aRequestId}`;
    expect((await get(`/agents/runs/${ref.runId}`)).body).toMatchObject({ openInputs: [{ type: 'waitForInput' }] });
    expect((await post(url, { response: { text: 'Ada' } })).body).toEqual({ status: 'RUNNING' });
    const again = await post(url, { response: { text: 'Eve' } });
    expect([again.status, again.body['code']]).toEqual([409, 'INPUT_ALREADY_ANSWERED']);
    expect((await world.log.read(ref)).events.at(-1)).toMatchObject({ response: { text: 'Ada' }, by: 'ada' });
  });

  it('needs no more than what the run itself shows: the whole request', async () => {
    const request = { type: 'waitForChoice', prompt: 'Which way?', choices: [{ id: 'left', label: 'To the mill' }] };
    const ref = await world.asking(InputRequest.parse(request));
    const [open] = RunDetail.parse((await get(`/agents/runs/${ref.runId}`)).body).openInputs;
    expect(open).toEqual({ requestId: aRequestId, type: 'waitForChoice', request });
    const response = { choice: open?.request.type === 'waitForChoice' ? open.request.choices[0]?.id : undefined };
    expect((await post(`/agents/runs/${ref.runId}/inputs/${aRequestId}`, { response })).status).toBe(200);
  });

  it('is refused for a request nobody made, and one that has expired', async () => {
    const ref = await world.asking();
    const unknown = await post(`/agents/runs/${ref.runId}/inputs/${requestIdOf(9)}`, { response: { text: 'Ada' } });
    expect([unknown.status, unknown.body['code']]).toEqual([404, 'INPUT_NOT_FOUND']);
    await world.others.handle(expireInput(ref));
    const late = await post(`/agents/runs/${ref.runId}/inputs/${aRequestId}`, { response: 'whatever' });
    expect([late.status, late.body['code']]).toEqual([410, 'INPUT_EXPIRED']);
  });

  it('is refused for the same reason after the run has ended', async () => {
    const [answered, expired, open] = [await world.asking(), await world.asking(), await world.asking()];
    await post(`/agents/runs/${answered.runId}/inputs/${aRequestId}`, { response: { text: 'Ada' } });
    await world.others.handle(expireInput(expired));
    for (const ref of [answered, expired, open]) await world.others.handle(failRun(ref));
    const answers = [
      await post(`/agents/runs/${open.runId}/inputs/${requestIdOf(9)}`, { response: { text: 'Ada' } }),
      await post(`/agents/runs/${answered.runId}/inputs/${aRequestId}`, { response: { text: 'Ada' } }),
      await post(`/agents/runs/${expired.runId}/inputs/${aRequestId}`, { response: { text: 'Ada' } }),
      await post(`/agents/runs/${open.runId}/inputs/${aRequestId}`, { response: { text: 'Ada' } }),
    ];
    expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([
      [404, 'INPUT_NOT_FOUND'],
      [409, 'INPUT_ALREADY_ANSWERED'],
      [410, 'INPUT_EXPIRED'],
      [409, 'RUN_ENDED'],
    ]);
  });

  it('has the shape the request asks for, or the field that is wrong is named', async () => {
    const ref = await world.asking({ type: 'waitForChoice', choices: [{ id: 'left' }, { id: 'right' }] });
    const url = `/agents/runs/${ref.runId}/inputs/${aRequestId}`;
    const before = await world.kinds(ref);
    for (const response of [{ choice: 7 }, { choice: 'up' }, {}]) {
      const { status, body } = await post(url, { response });
      expect([status, body['code']]).toEqual([400, 'VALIDATION_FAILED']);
      expect(body['errors']).toMatchObject([{ field: 'response.choice' }]);
    }
    expect(await world.kinds(ref)).toEqual(before);
    expect((await post(url, { response: { choice: 'left' } })).status).toBe(200);
  });

  it('says what the input becomes when it edits the input of a tool', async () => {
    const ref = await world.asking({
      type: 'toolApproval',
      toolUseId: 'toolu_1',
      tool: 'search',
      input: { query: 'mill' },
    });
    const url = `/agents/runs/${ref.runId}/inputs/${aRequestId}`;
    const { status, body } = await post(url, { response: { decision: 'edit' } });
    expect([status, body['code'], body['errors']]).toMatchObject([
      400,
      'VALIDATION_FAILED',
      [{ field: 'response.input' }],
    ]);
    expect((await post(url, { response: { decision: 'edit', input: { query: 'race' } } })).status).toBe(200);
  });
});
