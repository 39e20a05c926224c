import { beforeEach, describe, expect, it } from '@jest/globals';
import { CountingEventIds, InMemoryRunLog, ManualClock } from '@millrace/adapter-memory';
import { MessagesAnswer, RunDetail, RunStep } from '@millrace/contracts';
import {
  agentChanged,
  aRunRef,
  cancelRun,
  failRun,
  finishNode,
  messageAdded,
  modelResponded,
  progressReported,
  requestRun,
  requestTool,
  say,
  scheduleNodes,
  scheduleRetry,
  speakerOf,
  startNode,
  startRun,
} from '@millrace/testing';
import { RunCommandHandler } from '../run-command-handler.js';
import { LogRunQueries } from './log-run-queries.js';

let handler: RunCommandHandler;
let queries: LogRunQueries;
beforeEach(() => {
  const log = new InMemoryRunLog();
  handler = new RunCommandHandler({ log, ids: new CountingEventIds(), clock: new ManualClock() });
  queries = new LogRunQueries(log);
});

describe('What the log tells of a run', () => {
  it('is that there is none, whatever is asked', async () => {
    for (const asked of [
      queries.requireRun(aRunRef),
      queries.detail(aRunRef),
      queries.events(aRunRef, 0, 10),
      queries.steps(aRunRef),
      queries.messages(aRunRef),
      queries.logs(aRunRef),
      queries.trail(aRunRef),
    ]) {
      await expect(asked).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    }
  });

  it('is how far it came and why it failed', async () => {
    const commands = [requestRun(), startRun(), scheduleNodes(), startNode(), say(progressReported({ fraction: 0.5 }))];
    for (const command of commands) await handler.handle(command);
    expect(RunDetail.parse(await queries.detail(aRunRef))).toMatchObject({ status: 'RUNNING', progress: 0.5 });
    await handler.handle(failRun());
    expect(await queries.detail(aRunRef)).toMatchObject({
      ...{ status: 'FAILED', progress: 0.5, stepsCompleted: 0, error: { code: 'MAX_RETRIES_EXCEEDED' } },
    });
  });

  it('is what its models used, which tools it called, and who wants it to end', async () => {
    const used = [say(modelResponded()), requestTool(), cancelRun({ requestedBy: 'ada', reason: undefined })];
    for (const command of [requestRun(), startRun(), scheduleNodes(), startNode(), ...used]) {
      await handler.handle(command);
    }
    expect(RunDetail.parse(await queries.detail(aRunRef))).toMatchObject({
      ...{ agentVersion: '1', usage: { inputTokens: 12, outputTokens: 34 }, toolsUsed: ['search'], sources: [] },
      cancel: { by: 'ada' },
    });
  });

  it('is what was said, by whom, with which thoughts and at which price', async () => {
    const content = { text: 'hello', thinking: 'They greet.', toolCalls: [] };
    const said = [say(modelResponded({ content })), say(messageAdded()), say(agentChanged())];
    for (const command of [requestRun(), startRun(), scheduleNodes(), startNode(), ...said]) {
      await handler.handle(command);
    }
    const messages = await queries.messages(aRunRef);
    expect(MessagesAnswer.parse({ messages })).toMatchObject({
      messages: [
        { type: 'request', sequence: null, role: 'user' },
        {
          ...{ type: 'model_response', sequence: 2, agentId: 'echo', content, thinking: 'They greet.' },
          ...{ model: 'scripted', usage: { inputTokens: 12, outputTokens: 34 } },
        },
        { type: 'message', sequence: 3, agentId: 'echo', content: 'hello' },
      ],
    });
  });

  it('is one step for a task, whatever attempts it took', async () => {
    for (const command of [requestRun(), startRun(), scheduleNodes(), startNode(), scheduleRetry()]) {
      await handler.handle(command);
    }
    expect(await queries.steps(aRunRef)).toMatchObject([{ state: 'RETRYING', attempt: 1 }]);
    const second = speakerOf(undefined, 2);
    for (const command of [startNode(second), finishNode(second)]) await handler.handle(command);
    const steps = await queries.steps(aRunRef);
    expect(steps.map((step) => RunStep.parse(step))).toMatchObject([{ state: 'SUCCESS', attempt: 2 }]);
    expect(steps[0]).not.toHaveProperty('error');
  });

  it('is the public events alone, in pages that fit together', async () => {
    for (const command of [requestRun(), startRun(), scheduleNodes(), startNode(), finishNode()]) {
      await handler.handle(command);
    }
    const { events } = await queries.events(aRunRef, 0, 100);
    expect(events.map(({ kind }) => kind)).toEqual(['RunStarted', 'NodeStarted', 'NodeFinished']);
    for (const limit of [1, 2, 3]) {
      const pages = [];
      for (let from = 0, hasMore = true; hasMore; from += limit) {
        const page = await queries.events(aRunRef, from, limit);
        pages.push(...page.events);
        hasMore = page.hasMore;
      }
      expect(pages).toEqual(events);
    }
  });
});
