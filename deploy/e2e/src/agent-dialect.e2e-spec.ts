import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCENARIOS, type Scenario } from '@millrace/agents';
import {
  type AgentEvent,
  AgentEventConsumer,
  type AgentEventHandlers,
  AgentService,
  connect,
  type ProgressReporter,
  reportCalls,
  SSEAgentEventSource,
} from '@millrace/client';
import { AgentEvent as AgentEventSchema, type InputRequestType } from '@millrace/contracts';
import { QUICK, Web } from './web.for-spec.js';

const QUESTIONS = ['waitForInput', 'waitForChoice', 'readGraph', 'inspectNode', 'applyEdits', 'queryConsent'] as const;

/** Answers each question with the next answer of the scenario, and notes what was asked. */
const answering = ({ answers }: Scenario, asked: InputRequestType[]): AgentEventHandlers => {
  const left = [...answers];
  const answer = ({ type }: { type: InputRequestType }) => {
    asked.push(type);
    const at = left.findIndex((each) => each.type === type);
    const [found] = left.splice(at, 1);
    if (at < 0 || !found) throw new Error(`The scenario has no answer to ${type}`);
    return found.response;
  };
  return Object.fromEntries(QUESTIONS.map((type) => [type, answer]));
};

describe('Agents over HTTP, in their own dialect', () => {
  let web: Web;
  const seen = new Set<string>();
  beforeAll(async () => {
    web = await Web.start();
  });
  afterAll(() => web?.stop());

  const service = async (): Promise<AgentService> => {
    const token = await web.cluster.token();
    const made = new AgentService();
    made.configureRemote(web.origin.url, globalThis.fetch, { getToken: () => token, ...QUICK });
    return made;
  };
  const readAll = async (runId: string): Promise<AgentEvent[]> => {
    const token = await web.cluster.token();
    const connection = connect({ baseUrl: web.origin.url, getToken: () => token, ...QUICK });
    const events: AgentEvent[] = [];
    for await (const event of new SSEAgentEventSource(connection, runId, new AgentEventConsumer()).events()) {
      events.push(event);
    }
    return events;
  };

  it.each(SCENARIOS)('$name', async (scenario) => {
    const { agent, input, answers, ends, text } = scenario;
    const asked: InputRequestType[] = [];
    const run = (await service()).startRun({ agent, input, handlers: answering(scenario, asked) });
    const outcome = await run.finished;
    if (ends === 'RunFinished') expect(outcome).toMatchObject({ status: 'complete', result: { text } });
    else expect(outcome).toMatchObject({ status: 'error', aborted: false });
    expect([...asked].sort()).toEqual(answers.map(({ type }) => type).sort());

    const events = await readAll(await run.started);
    for (const event of events) {
      AgentEventSchema.parse(event);
      seen.add(event.type);
    }
    expect(events[0]?.type).toBe('start');
    expect(events.slice(-2).map(({ type }) => type)).toEqual([ends === 'RunFinished' ? 'complete' : 'error', 'finish']);
  });

  it('shows each of the 21 types at least once', () => {
    expect([...seen].sort()).toEqual(AgentEventSchema.options.map(({ shape }) => shape.type.value).sort());
  });

  it('reports the nested progress of a call to the reporter of that call', async () => {
    const scenario = SCENARIOS.find(({ name }) => name === 'consent') as Scenario;
    const handlers = answering(scenario, []);
    const run = (await service()).startRun({ agent: scenario.agent, input: scenario.input, handlers });
    const reports = new Map<string, string[]>();
    reportCalls(run.consumer, ({ callId }): ProgressReporter => {
      const lines: string[] = [];
      reports.set(callId, lines);
      return {
        addJson: () => lines.push('json'),
        addError: () => lines.push('error'),
        finish: () => lines.push('finish'),
      };
    });
    await run.finished;
    const told = [...reports.values()].map((lines) => [...new Set(lines)].join(' ')).filter(Boolean);
    expect(told.sort()).toEqual(expect.arrayContaining(['json finish', expect.stringContaining('error')]));
  });

  it('waits for an answer over the death of gateway and worker, takes it from a second tab, and asks the first no more', async () => {
    const scenario = SCENARIOS.find(({ name }) => name === 'chat') as Scenario;
    const [name, choice] = scenario.answers;
    let open: (signal: AbortSignal) => void;
    const isAsked = new Promise<AbortSignal>((resolve) => (open = resolve));
    const askedInFirst: string[] = [];
    const first = (await service()).startRun({
      ...{ agent: scenario.agent, input: scenario.input },
      handlers: {
        waitForInput: (_, { signal }) => {
          askedInFirst.push('waitForInput');
          open(signal);
          return new Promise(() => undefined); // the person has left this tab
        },
      },
    });
    const signal = await isAsked;
    await Promise.all([web.replace('stream-gateway'), web.replace('node-workers')]);

    const askedInSecond: InputRequestType[] = [];
    const second = (await service()).attachRun(await first.started, { handlers: answering(scenario, askedInSecond) });
    expect(await second.finished).toMatchObject({ status: 'complete', result: { text: scenario.text } });
    expect(await first.finished).toMatchObject({ status: 'complete', result: { text: scenario.text } });
    expect(askedInSecond).toEqual([name?.type, choice?.type]);
    expect(askedInFirst).toEqual(['waitForInput']);
    expect(signal.aborted).toBe(true);

    const askedInThird: InputRequestType[] = [];
    const third = (await service()).attachRun(await first.started, { handlers: answering(scenario, askedInThird) });
    expect(await third.finished).toMatchObject({ status: 'complete' });
    expect(askedInThird).toEqual([]);
  });

  it('stops what is aborted while it waits for a person, and nothing else', async () => {
    const started = await service();
    const scenario = SCENARIOS.find(({ name }) => name === 'chat') as Scenario;
    const asked: InputRequestType[] = [];
    const other = started.startRun({ agent: 'chat', input: scenario.input, handlers: answering(scenario, asked) });
    let open: () => void;
    const isAsked = new Promise<void>((resolve) => (open = resolve));
    const aborted = started.startRun({
      ...{ agent: 'chat', input: scenario.input },
      handlers: { waitForInput: () => (open(), new Promise(() => undefined)) },
    });
    await isAsked;
    aborted.abort('enough');
    expect(await aborted.finished).toMatchObject({ status: 'error', code: 'CANCELED', aborted: true });
    expect(await other.finished).toMatchObject({ status: 'complete' });
  });
});
