import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../connect.js';
import { json, problem, SpecServer } from '../run-server.for-spec.js';
import { AgentEventConsumer, type Asking } from './agent-event-consumer.js';
import { completed, PlayedRun } from './agent-server.for-spec.js';
import type { AgentEvent } from './agent-events.js';
import { AgentService } from './agent-service.js';
import { SSEAgentEventSource } from './sse-agent-event-source.js';

const RUN = '01JD0000000000000000000002';
const by = { node: 'plan', taskKey: '1/plan', attempt: 1 };
const started: AgentEvent = { type: 'start', runId: RUN, agent: 'chat', agentVersion: '1' };
const says = (text: string): AgentEvent => ({ type: 'content', text, role: 'agent', partial: false, ...by });
const asks = (requestId: string): AgentEvent => ({ type: 'waitForInput', requestId, prompt: 'Name?' });
const QUICK = { retry: { firstMs: 1, mostMs: 5 }, random: () => 0.5 };
let server: SpecServer;

beforeAll(async () => {
  server = await SpecServer.start();
});
afterAll(() => server.stop());

const play = (...steps: ConstructorParameters<typeof PlayedRun>[1]): PlayedRun => {
  const run = new PlayedRun(RUN, steps);
  server.answers(run.handle);
  return run;
};
const aChat = () =>
  play([started], [asks('q1')], (answer) => [says(`Good day, ${(answer as { text: string }).text}`)], completed('bye'));
const service = (): AgentService => {
  const made = new AgentService();
  made.configureRemote(server.url, globalThis.fetch, QUICK);
  return made;
};
const asked = (ending: string) => server.asked.filter(({ path }) => path.endsWith(ending));

describe('A run on a server', () => {
  it('is started, followed, and answered by the same handlers as one in this process', async () => {
    const played = aChat();
    const said: string[] = [];
    const run = service().startRun({
      agent: 'chat',
      input: { text: 'hi' },
      handlers: { content: ({ text }) => said.push(text), waitForInput: async () => ({ text: 'Ada' }) },
    });
    expect(await run.finished).toEqual({ status: 'complete', result: 'bye' });
    expect(await run.started).toBe(RUN);
    expect(said).toEqual(['Good day, Ada']);
    expect(played.answers).toEqual([{ text: 'Ada' }]);
    expect(asked('/api/agent/run')[0]?.body).toEqual({ agent: 'chat', input: { text: 'hi' } });
    expect(asked('/input')[0]?.body).toEqual({ requestId: 'q1', response: { text: 'Ada' } });
  });

  it('is read from its beginning by a second tab, which is not asked what was answered', async () => {
    const played = aChat();
    played.answer({ text: 'Bob' });
    const questions: string[] = [];
    const said: string[] = [];
    const run = service().attachRun(RUN, {
      handlers: {
        content: ({ text }) => said.push(text),
        waitForInput: ({ requestId }) => (questions.push(requestId), { text: 'Ada' }),
      },
    });
    expect(await run.finished).toEqual({ status: 'complete', result: 'bye' });
    expect(said).toEqual(['Good day, Bob']);
    expect(questions).toEqual([]);
    expect(asked('/input')).toEqual([]);
  });

  it('calls the question off when another tab is quicker, and sends no answer', async () => {
    const played = aChat();
    let open: (asking: Asking) => void;
    const isAsked = new Promise<Asking>((resolve) => (open = resolve));
    const run = service().attachRun(RUN, {
      handlers: {
        waitForInput: (_, asking) => {
          open(asking);
          return new Promise((resolve) => asking.signal.addEventListener('abort', () => resolve({ text: 'late' })));
        },
      },
    });
    const { signal } = await isAsked;
    played.answer({ text: 'Bob' });
    expect(await run.finished).toMatchObject({ status: 'complete' });
    expect(signal.aborted).toBe(true);
    expect(asked('/input')).toEqual([]);
  });

  it('takes it as no error when its answer comes second', async () => {
    const played = aChat();
    const run = service().attachRun(RUN);
    await played.read();
    expect(await run.answer('q1', { text: 'Ada' })).toBe('accepted');
    expect(await run.answer('q1', { text: 'Bob' })).toBe('elsewhere');
    server.answers((_, response) => json(response, 400, problem(400, 'VALIDATION_FAILED')));
    await expect(run.answer('q1', { text: 'Ada' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    run.detach();
    await run.finished;
  });

  it('leaves a question open that nobody here answers', async () => {
    const played = aChat();
    const run = service().attachRun(RUN);
    await played.read();
    expect(asked(`/agents/runs/${RUN}`)).toEqual([]);
    played.answer({ text: 'Bob' });
    expect(await run.finished).toMatchObject({ status: 'complete' });
  });

  it('is told whole and once, wherever a connection breaks', async () => {
    const steps = () => [[started], [says('one')], [says('two')], completed('done')];
    const whole = play(...steps());
    const expected = whole.log.flat();
    const length = expected.map((event) => JSON.stringify(event).length + 20).reduce((sum, each) => sum + each, 0);
    for (let cut = 0; cut < length; cut += 7) {
      play(...steps()).cuts.push(cut, length - cut);
      const source = new SSEAgentEventSource(connect({ baseUrl: server.url, ...QUICK }), RUN, new AgentEventConsumer());
      const told: AgentEvent[] = [];
      for await (const event of source.events()) told.push(event);
      expect(told).toEqual(expected);
    }
  });

  it('goes on after the last event somebody has', async () => {
    play([started], [says('one')], [says('two')], completed('done'));
    const source = new SSEAgentEventSource(connect({ baseUrl: server.url, ...QUICK }), RUN, new AgentEventConsumer());
    const told: string[] = [];
    for await (const { type } of source.events({ lastEventId: 1 })) told.push(type);
    expect(told).toEqual(['content', 'complete', 'finish']);
    expect(asked('/events')[0]?.query).toEqual({ fromSeq: '2' });
  });

  it('is aborted on the server, and ends when the server says so', async () => {
    aChat();
    const run = service().startRun({ agent: 'chat' });
    run.abort('enough');
    expect(await run.finished).toEqual({ status: 'error', code: 'CANCELED', message: 'stopped', aborted: true });
    expect(asked('/abort')[0]?.body).toEqual({ reason: 'enough' });
  });

  it('goes on without who detaches from it', async () => {
    const played = aChat();
    const run = service().attachRun(RUN);
    await played.read();
    run.detach();
    expect(await run.finished).toEqual({ status: 'detached' });
    expect(asked('/abort')).toEqual([]);
  });

  it('tells once when it cannot be started', async () => {
    server.answers((_, response) => json(response, 400, problem(400, 'VALIDATION_FAILED')));
    const run = service().startRun({ agent: '' });
    run.abort('never mind');
    await expect(run.finished).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await new Promise(setImmediate);
    expect(asked('/abort')).toEqual([]);
  });
});
