import { describe, expect, it } from '@jest/globals';
import type { AgentEventHandlers } from './agent-event-consumer.js';
import type { AgentEventSink } from './agent-event-sink.js';
import type { AgentEvent, AgentEventOf, NoticeEvent, SuspendEvent } from './agent-events.js';
import type { AgentRunHandle } from './agent-run-handle.js';
import { AgentService } from './agent-service.js';
import { AgentUi, answerByPerson } from './agent-ui.js';
import type { AgentLoop } from './local-agent-run.js';
import { buildHooksFromSink, type LoopHooks } from './loop-hooks.js';
import { type ProgressReporter, reportCalls } from './progress-reporter.js';

const by = { node: 'plan', taskKey: '1/plan', attempt: 1 };
const NOTICES = [
  ...['start', 'thought', 'functionCall', 'functionCallUpdate', 'functionResult', 'subagentAddJson', 'subagentError'],
  ...['subagentFinish', 'content', 'turnComplete', 'sendRequest', 'graphEdit', 'complete', 'error', 'finish'],
] as const;

/** What a consumer of every notice is told, in order. */
const recorder = (): { told: AgentEvent[]; handlers: AgentEventHandlers } => {
  const told: AgentEvent[] = [];
  const entries = NOTICES.map((type) => [type, (event: NoticeEvent) => told.push(event)] as const);
  return { told, handlers: Object.fromEntries(entries) };
};
const start = (loop: AgentLoop, input: unknown = {}) => {
  const { told, handlers } = recorder();
  const service = new AgentService({ it: loop });
  const run = service.startRun({ agent: 'it', input, handlers });
  return { run, told, service, types: () => told.map(({ type }) => type) };
};

describe('A run in this process', () => {
  it('tells what its loop says in order, and ends with its result', async () => {
    const { run, told, types } = start(async ({ hooks, input }) => {
      hooks.onThought({ text: 'hm', ...by });
      await Promise.resolve();
      hooks.onContent({ text: String(input), role: 'agent', partial: false, ...by });
      return { said: input };
    }, 'hello');
    expect(await run.finished).toEqual({ status: 'complete', result: { said: 'hello' } });
    expect(types()).toEqual(['start', 'thought', 'content', 'complete', 'finish']);
    expect(told[0]).toMatchObject({ runId: await run.started, agent: 'it' });
  });

  it('is heard from its first word also by who registers right after it was started', async () => {
    const service = new AgentService({ it: async ({ hooks }) => hooks.onThought({ text: 'hm', ...by }) });
    const run = service.startRun({ agent: 'it' });
    const told: string[] = [];
    run.consumer.on('start', () => told.push('start'));
    run.consumer.on('thought', () => told.push('thought'));
    await run.finished;
    expect(told).toEqual(['start', 'thought']);
  });

  it('never runs a handler inside its own call', async () => {
    const order: string[] = [];
    const service = new AgentService({
      it: async ({ hooks }) => {
        hooks.onThought({ text: 'hm', ...by });
        order.push('after emit');
      },
    });
    await service.startRun({ agent: 'it', handlers: { thought: () => order.push('handled') } }).finished;
    expect(order).toEqual(['after emit', 'handled']);
  });

  it('ends once, however often its loop says so, and `finish` is last', async () => {
    const { run, types } = start(async ({ hooks }) => {
      hooks.onFinish({});
      hooks.onError({ message: 'first', code: 'A', aborted: false });
      hooks.onComplete({ result: 1, summary: '', sources: [], usage: { inputTokens: 0, outputTokens: 0 } });
      hooks.onThought({ text: 'and yet', ...by });
    });
    expect(await run.finished).toEqual({ status: 'error', code: 'A', message: 'first', aborted: false });
    expect(types()).toEqual(['start', 'thought', 'error', 'finish']);
  });

  it('ends with an error when its loop throws', async () => {
    const { run, types } = start(() => Promise.reject(Object.assign(new Error('no model'), { code: 'NO_MODEL' })));
    expect(await run.finished).toEqual({ status: 'error', code: 'NO_MODEL', message: 'no model', aborted: false });
    expect(types()).toEqual(['start', 'error', 'finish']);
  });

  it('ends when it is aborted while it waits for an answer, which is no longer wanted', async () => {
    let wanted: AbortSignal | undefined;
    let refusal: unknown;
    const { run, types } = start(async ({ sink }) => {
      refusal = await new AgentUi(sink).chat('Name?').catch((error: unknown) => error);
    });
    const isAsked = new Promise<void>((resolve) => {
      run.consumer.on('waitForInput', (_, { signal }) => {
        wanted = signal;
        resolve();
        return new Promise(() => undefined); // the person never answers
      });
    });
    await isAsked;
    run.abort('enough');
    expect(await run.finished).toEqual({ status: 'error', code: 'CANCELED', message: 'enough', aborted: true });
    expect(types()).toEqual(['start', 'error', 'finish']);
    expect(wanted?.aborted).toBe(true);
    expect(refusal).toMatchObject({ message: 'enough' });
  });

  it('ends when it is aborted and its loop does not listen, and is not heard any more', async () => {
    let goOn: (() => void) | undefined;
    const { run, types } = start(async ({ hooks }) => {
      await new Promise<void>((resolve) => (goOn = resolve));
      hooks.onThought({ text: 'too late', ...by });
    });
    await new Promise(setImmediate);
    run.abort();
    await run.finished;
    goOn?.();
    await new Promise(setImmediate);
    expect(types()).toEqual(['start', 'error', 'finish']);
  });

  it('shares nothing with another: aborting one leaves the other alone', async () => {
    const service = new AgentService({ it: ({ sink }) => new AgentUi(sink).chat('Name?') });
    const answers: ((text: string) => void)[] = [];
    const handlers: AgentEventHandlers = {
      waitForInput: () => new Promise((resolve) => answers.push((text) => resolve({ text }))),
    };
    const [one, other] = [0, 1].map(() => service.startRun({ agent: 'it', handlers }));
    await new Promise(setImmediate);
    expect(service.runs.size).toBe(2);
    one?.abort();
    expect(await one?.finished).toMatchObject({ status: 'error' });
    answers[1]?.('Ada');
    expect(await other?.finished).toEqual({ status: 'complete', result: { text: 'Ada' } });
    expect(one?.consumer).not.toBe(other?.consumer);
    await new Promise(setImmediate);
    expect(service.runs.size).toBe(0);
  });

  it('needs a loop, and says which there are', () => {
    const service = new AgentService({ echo: async () => undefined });
    expect(() => service.startRun({ agent: 'chat' })).toThrow('No agent "chat" runs here (echo do)');
    expect(() => service.attachRun('x')).toThrow('configureRemote');
  });
});

describe('The types of the event layer', () => {
  it('keep the sink to local runs, and let loops wait for questions only', () => {
    const handleHasNoSink: 'sink' extends keyof AgentRunHandle ? never : true = true;
    const onlyQuestions: Parameters<AgentEventSink['suspend']>[0] extends SuspendEvent ? true : never = true;
    const questionsAreNoNotices: Extract<NoticeEvent, SuspendEvent> extends never ? true : never = true;
    expect([handleHasNoSink, onlyQuestions, questionsAreNoNotices]).toEqual([true, true, true]);
  });
});

describe('A person asked by a loop', () => {
  it('gives text and makes choices', async () => {
    const { run } = start(async ({ sink }) => {
      const ui = new AgentUi(sink);
      const { text } = await ui.chat('Name?');
      const { choice } = await ui.presentChoices('Which?', [{ id: 'a' }, { id: 'b', label: 'Bee' }]);
      return `${text} takes ${choice}`;
    });
    answerByPerson(run.consumer, {
      requestInput: async (prompt) => ({ text: `Ada (${prompt})` }),
      choicePresenter: { presentChoices: async (_, choices) => ({ choice: choices.at(-1)?.id ?? '' }) },
    });
    expect(await run.finished).toEqual({ status: 'complete', result: 'Ada (Name?) takes b' });
  });
});

describe('Hooks', () => {
  const emitted: AgentEvent[] = [];
  const hooks = buildHooksFromSink({
    emit: (event) => emitted.push(event),
    suspend: () => Promise.reject(new Error()),
  });

  it.each<[keyof LoopHooks, AgentEvent['type'], object]>([
    ['onStart', 'start', { runId: 'r', agent: 'it', agentVersion: '1' }],
    ['onThought', 'thought', { text: 'hm', ...by }],
    ['onFunctionCall', 'functionCall', { callId: 'c', name: 'draw', args: { what: 'a mill' } }],
    ['onFunctionCallUpdate', 'functionCallUpdate', { callId: 'c', status: 'half' }],
    ['onFunctionResult', 'functionResult', { callId: 'c', name: 'draw', ok: true }],
    ['onContent', 'content', { text: 'a', role: 'agent', partial: true, ...by }],
    ['onTurnComplete', 'turnComplete', { result: 'SUCCESS', ...by }],
    ['onSendRequest', 'sendRequest', { callId: 'm', model: 'scripted', request: {}, ...by }],
    ['onGraphEdit', 'graphEdit', { edits: [{}], ...by }],
    ['onComplete', 'complete', { result: 1, summary: '', sources: [], usage: { inputTokens: 0, outputTokens: 0 } }],
    ['onError', 'error', { message: 'x', code: 'X', aborted: false }],
    ['onFinish', 'finish', {}],
  ])('%s emits %s', (hook, type, about) => {
    emitted.length = 0;
    (hooks[hook] as (about: object) => void)(about);
    expect(emitted).toEqual([{ type, ...about }]);
  });
});

describe('Nested progress', () => {
  it('reaches the reporter of its own call, with several calls at once', async () => {
    const log: string[] = [];
    const reporterOf = ({ name, args }: AgentEventOf<'functionCall'>): ProgressReporter => {
      const title = `${name} ${String(args)}`;
      return {
        addJson: (json) => log.push(`${title}: ${JSON.stringify(json)}`),
        addError: (error) => log.push(`${title} failed: ${error}`),
        finish: () => log.push(`${title} done`),
      };
    };
    const { run } = start(async ({ hooks }) => {
      const picture = hooks.onFunctionCall({ callId: 'c1', name: 'picture', args: 'mill' });
      const film = hooks.onFunctionCall({ callId: 'c2', name: 'film', args: 'river' });
      film.addJson(1);
      picture.addJson(2);
      film.addError('no light');
      picture.finish();
      hooks.onFunctionResult({ callId: 'c1', name: 'picture', ok: true });
      film.finish();
      picture.addJson('after its result nobody listens');
    });
    reportCalls(run.consumer, reporterOf);
    await run.finished;
    expect(log).toEqual([
      ...['film river: 1', 'picture mill: 2', 'film river failed: no light', 'picture mill done', 'film river done'],
    ]);
  });
});
