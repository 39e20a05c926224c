import { describe, expect, it } from '@jest/globals';
import { nodeContext } from '@millrace/agent-sdk';
import type { RunEvent } from '@millrace/contracts';
import { aRunRef, cancelRun, queueRun, requestRun } from '@millrace/testing';
import { WorkWorld } from '../work-world.for-spec.js';

const redelivered = { deliveries: 2, hasStalled: () => false };

const last = <T>(items: readonly T[]): T | undefined => items.at(-1);

describe('A run', () => {
  it('goes through its nodes to the end', async () => {
    const world = new WorkWorld({ greet: async () => 'hello', ask: async () => 'how are you?' });
    await world.start();
    await world.work();
    expect(await world.kinds()).toEqual([
      'RunRequested',
      'RunStarted',
      'NodeScheduled',
      'NodeStarted',
      'NodeFinished',
      'NodeScheduled',
      'NodeStarted',
      'NodeFinished',
      'RunFinished',
    ]);
    expect(last(await world.events())).toMatchObject({ stepsCompleted: 2, summary: 'hello how are you?' });
    expect(world.conductor.resident).toBe(0);
  });

  it('goes on in another orchestrator and another worker at any point', async () => {
    const world = new WorkWorld({ a: async () => 'a', b: async () => 'b', c: async () => 'c' });
    await world.start();
    while ((await world.kinds()).at(-1) !== 'RunFinished') {
      world.conductor = world.newConductor();
      world.worker = world.newWorker();
      await world.conductor.advance(aRunRef);
      const task = world.queue.waiting.shift();
      if (task) await world.worker.execute(task);
      await world.newConductor().advance(aRunRef);
    }
    expect((await world.kinds()).filter((kind) => kind === 'NodeStarted')).toHaveLength(3);
  });

  it('reports what it used', async () => {
    const world = new WorkWorld(
      {
        think: async (context) => {
          await context.llm({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
          return context.tool('add', { a: 1 });
        },
      },
      { add: { run: async () => 2 } },
    );
    await world.start();
    await world.work();
    expect(last(await world.events())).toMatchObject({
      usage: { inputTokens: 2, outputTokens: 3, model: 'm' },
      toolsUsed: ['add'],
    });
  });
});

describe('What a node did', () => {
  it('holds what the model thought, whole, beside what it said', async () => {
    const answers: unknown[] = [];
    let isFirst = true;
    const world = new WorkWorld({
      think: async (context) => {
        answers.push(await context.llm({ model: 'm', messages: [] }, { shown: isFirst }));
        if (!isFirst) return 'done';
        isFirst = false;
        throw new Error('the network is away');
      },
    });
    world.llm.thoughts.push('They ', 'greet.');
    await world.start();
    await world.work();
    world.clock.advance(2_000);
    await world.work();
    const responded = (await world.events()).filter((event) => event.kind === 'ModelResponded');
    expect(responded).toMatchObject([{ content: { text: 'hello', thinking: 'They greet.', toolCalls: [] } }]);
    expect(answers).toMatchObject([{ thinking: 'They greet.' }, { thinking: 'They greet.' }]);
    expect(answers[1]).toEqual(answers[0]);
  });

  it('has log lines of a tool under the name of the tool', async () => {
    const world = new WorkWorld(
      {
        work: async (context) => {
          context.log('info', 'calling');
          return context.tool('add', {});
        },
      },
      {
        add: {
          run: async (_, { log }) => {
            log('warn', 'slow today', { ms: 9 });
            return 2;
          },
        },
      },
    );
    await world.start();
    await world.work();
    const lines = (await world.events()).filter((event) => event.kind === 'LogWritten');
    expect(lines).toMatchObject([
      { level: 'info', source: '[work]', message: 'calling' },
      { level: 'warn', source: '[add]', message: 'slow today', payload: { ms: 9 }, within: '1/work#add-1' },
    ]);
  });
});

describe('A node that runs again', () => {
  it('is given what it did before: models, tools and steps are not asked again', async () => {
    const did: string[] = [];
    let isFirst = true;
    const world = new WorkWorld(
      {
        work: async (context) => {
          const { text } = await context.llm({ model: 'm', messages: [] });
          const sum = await context.tool('add', { a: 1 });
          const stamp = await context.step('stamp', () => did.push('step'));
          if (isFirst) {
            isFirst = false;
            throw new Error('the network is away');
          }
          return [text, sum, stamp];
        },
      },
      {
        add: {
          run: async (_, { idempotencyKey }) => {
            did.push(idempotencyKey);
            return 2;
          },
        },
      },
    );
    await world.start();
    expect(await world.work()).toEqual([{ kind: 'retry', afterMs: 2_000 }]);
    expect(await world.work()).toEqual([{ kind: 'retry', afterMs: 2_000 }]); // not yet
    world.clock.advance(2_000);
    world.worker = world.newWorker();
    await world.work();
    expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', output: { text: 'hello,2,2' } });
    expect(did).toEqual(['1/work#add-1', 'step']);
    expect(world.llm.calls).toBe(1);
    const starts = (await world.events()).filter((event) => event.kind === 'NodeStarted');
    expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('calls a tool that failed again under another id, so that each request has its own response', async () => {
    let calls = 0;
    const world = new WorkWorld(
      { work: (context) => context.tool('flaky', {}) },
      {
        flaky: {
          run: async () => {
            calls += 1;
            if (calls === 1) throw new Error('busy');
            return 'fine';
          },
        },
      },
    );
    await world.start();
    await world.work();
    world.clock.advance(60_000);
    await world.work();
    const tools = (await world.events()).flatMap((event) =>
      event.kind === 'ToolRequested' || event.kind === 'ToolFinished' ? [`${event.kind} ${event.toolUseId}`] : [],
    );
    expect(tools).toEqual([
      'ToolRequested 1/work#flaky-1',
      'ToolFinished 1/work#flaky-1',
      'ToolRequested 1/work#flaky-1~2',
      'ToolFinished 1/work#flaky-1~2',
    ]);
    expect(last(await world.kinds())).toBe('RunFinished');
  });

  it('ends the run and parks the task when it has failed too often', async () => {
    const world = new WorkWorld({ work: () => Promise.reject(new Error('always')) });
    await world.start();
    for (const [afterMs, at] of [
      [2_000, 0],
      [4_000, 1],
    ] as const) {
      expect(last(await world.work())).toEqual({ kind: 'retry', afterMs });
      world.clock.advance(afterMs + at);
    }
    expect(await world.work()).toEqual([{ kind: 'park', reason: 'MAX_RETRIES_EXCEEDED: always' }]);
    expect(last(await world.events())).toMatchObject({
      kind: 'RunFailed',
      errorCode: 'MAX_RETRIES_EXCEEDED',
      reason: 'always',
    });
  });

  it('ends at once on an error no other attempt would change', async () => {
    const world = new WorkWorld({ work: () => Promise.reject(new TypeError('a bug')) });
    await world.start();
    expect(await world.work()).toEqual([{ kind: 'park', reason: 'NON_RETRYABLE_ERROR: a bug' }]);
    expect(last(await world.kinds())).toBe('RunFailed');
  });
});

describe('A node whose workers die over it', () => {
  it('is given up after so many, and the run says why', async () => {
    const world = new WorkWorld({ work: async () => 'never gets here' });
    await world.start();
    const task = world.queue.waiting.shift()!;
    const outcome = await world.worker.execute(task, { deliveries: 12, hasStalled: () => false });
    expect(outcome).toEqual({ kind: 'park', reason: expect.stringContaining('11 workers died') });
    await world.conductor.advance(aRunRef);
    expect(last(await world.kinds())).toBe('RunFailed');
  });
});

describe('A node that asks', () => {
  const asking = () =>
    new WorkWorld({
      greet: async (context) => {
        context.emit({ kind: 'TokenDelta', text: 'Hello. ' });
        await context.step('once', () => 1);
        const { text } = await context.suspend({ type: 'waitForInput', prompt: 'Your name?' });
        context.emit({ kind: 'TokenDelta', text: `Dear ${text}` });
        return text;
      },
    });

  it('gives its worker back, and goes on with the answer without saying anything twice', async () => {
    const world = asking();
    await world.start();
    await world.work();
    expect((await world.kinds()).slice(-2)).toEqual(['InputRequested', 'NodeSuspended']);
    expect(world.conductor.resident).toBe(0);
    world.conductor = world.newConductor();
    world.worker = world.newWorker();
    await world.answer({ text: 'Ada' });
    await world.work();
    const texts = (await world.events()).flatMap((event) => (event.kind === 'TokenDelta' ? [event.text] : []));
    expect(texts).toEqual(['Hello. ', 'Dear Ada']);
    expect((await world.events()).find((event) => event.kind === 'NodeStarted' && event.attempt === 2)).toMatchObject({
      continues: true,
    });
    expect(last(await world.kinds())).toBe('RunFinished');
  });

  it('goes on when the answer came before it had let go', async () => {
    const world = new WorkWorld({
      ask: async (context) => {
        const asked = context.suspend({ type: 'waitForInput' }).then(
          ({ text }) => text,
          async (suspension: unknown) => {
            if (context.attempt === 1) await world.answer({ text: 'fast' });
            throw suspension;
          },
        );
        return asked;
      },
    });
    await world.start();
    await world.work();
    await world.work();
    expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', output: { text: 'fast' } });
  });

  it('asks for the same thing under the same id when its worker died meanwhile', async () => {
    const world = asking();
    await world.start();
    const task = world.queue.waiting[0]!;
    await world.work();
    await world.worker.execute(task); // delivered again: it waits, and nothing happens
    expect((await world.kinds()).filter((kind) => kind === 'InputRequested')).toHaveLength(1);
  });

  it('says all of what follows a call that was recorded before it waited', async () => {
    const model = { model: 'm', messages: [] };
    const world = new WorkWorld(
      {
        ask: async (context) => {
          await context.llm(model);
          await context.tool('count', {});
          await context.step('look', () => context.progress('looking'));
          await context.suspend({ type: 'waitForInput' });
          await context.llm(model);
          await context.tool('count', {});
          await context.step('look again', () => context.progress('looking'));
        },
      },
      { count: { run: async () => nodeContext().log('info', 'counting') } },
    );
    await world.start();
    await world.work();
    const before = await world.events();
    await world.answer({ text: 'go on' });
    await world.work();
    const said = (events: readonly RunEvent[]) =>
      events.flatMap((event) => {
        if (event.kind === 'TokenDelta') return [event.text];
        return event.kind === 'LogWritten' || event.kind === 'ProgressReported' ? [event.message] : [];
      });
    const once = said(before);
    expect(once).toEqual(['hello', 'counting', 'looking']);
    expect(said(await world.events())).toEqual([...once, ...once]);
  });

  it('has each answer where it was asked for, in tools of one body too', async () => {
    const names: string[] = [];
    const world = new WorkWorld(
      { ask: async (context) => [await context.tool('who', {}), await context.tool('who', {})] },
      {
        who: {
          run: async () => {
            const { text } = await nodeContext().suspend({ type: 'waitForInput' });
            names.push(text);
            return text;
          },
        },
      },
    );
    await world.start();
    await world.work();
    await world.answer({ text: 'Ada' });
    await world.work();
    expect(last(await world.kinds())).toBe('NodeSuspended');
    await world.answer({ text: 'Bob' }, 1);
    await world.work();
    expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', output: { text: 'Ada,Bob' } });
    expect(names).toEqual(['Ada', 'Bob']);
  });

  it('is told when nobody answered in time', async () => {
    const world = new WorkWorld({
      ask: async (context) => {
        await context.suspend({ type: 'queryConsent', question: 'May I?' }, { expiresInMs: 1_000 });
      },
    });
    await world.start();
    await world.work();
    expect(world.timers.rang).toEqual([[expect.any(String), '2026-01-12T10:00:01.000Z']]);
    world.clock.advance(1_000);
    await world.conductor.advance(aRunRef);
    await world.work();
    expect((await world.kinds()).slice(-4)).toEqual(['InputExpired', 'NodeStarted', 'NodeFinished', 'RunFailed']);
  });
});

describe('A tool that needs approval', () => {
  const calls: unknown[] = [];
  const approving = () => {
    calls.length = 0;
    return new WorkWorld(
      { pay: (context) => context.tool('transfer', { amount: 100 }) },
      {
        transfer: {
          needsApproval: true,
          run: async (input: unknown) => {
            calls.push(input);
            return 'paid';
          },
        },
      },
    );
  };

  it.each([
    [{ decision: 'approve' }, [{ amount: 100 }], 'RunFinished'],
    [{ decision: 'edit', input: { amount: 5 } }, [{ amount: 5 }], 'RunFinished'],
    [{ decision: 'reject', reason: 'too much' }, [], 'RunFailed'],
  ])('runs as a person decides: %j', async (decision, called, end) => {
    const world = approving();
    await world.start();
    await world.work();
    expect(calls).toEqual([]);
    expect((await world.events()).find(({ kind }) => kind === 'InputRequested')).toMatchObject({
      request: { type: 'toolApproval', tool: 'transfer', input: { amount: 100 } },
    });
    await world.answer(decision);
    await world.work();
    expect(calls).toEqual(called);
    expect(last(await world.kinds())).toBe(end);
    const responses = (await world.events()).filter(({ kind }) => kind === 'ToolFinished');
    expect(responses).toHaveLength(1);
  });
});

describe('A run that is stopped', () => {
  it('aborts what is in flight when it is canceled, and ends', async () => {
    let began: () => void = () => {};
    const isRunning = new Promise<void>((resolve) => (began = resolve));
    const world = new WorkWorld({
      wait: (context) =>
        new Promise((_, reject) => {
          began();
          context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
        }),
    });
    await world.start();
    const working = world.work();
    await isRunning;
    await world.handler.handle(cancelRun());
    await working;
    await world.conductor.advance(aRunRef);
    expect((await world.kinds()).slice(-2)).toEqual(['RunCancelRequested', 'RunCanceled']);
    expect(world.letGo).toEqual(['1: AbortError: The run or the attempt is canceled']);
  });

  it('starts no node while it is paused, and goes on when it is resumed', async () => {
    const world = new WorkWorld({ a: async () => 'a', b: async () => 'b' });
    await world.start();
    await world.worker.execute(world.queue.waiting.shift()!);
    await world.handler.handle({ kind: 'PauseRun', ...aRunRef, by: 'ada' });
    await world.conductor.advance(aRunRef);
    expect(await world.work()).toEqual([]);
    await world.handler.handle({ kind: 'ResumeRun', ...aRunRef, by: 'ada' });
    await world.conductor.advance(aRunRef);
    await world.work();
    expect(last(await world.kinds())).toBe('RunFinished');
  });

  it('offers a task again that a worker let go of while it was paused', async () => {
    const world = new WorkWorld({ a: async () => 'a', b: async () => 'b' });
    await world.start();
    await world.worker.execute(world.queue.waiting.shift()!);
    await world.conductor.advance(aRunRef);
    await world.handler.handle({ kind: 'PauseRun', ...aRunRef, by: 'ada' });
    expect(await world.work()).toEqual([{ kind: 'done' }]);
    await world.handler.handle({ kind: 'ResumeRun', ...aRunRef, by: 'ada' });
    await world.conductor.advance(aRunRef);
    await world.work();
    expect(last(await world.kinds())).toBe('RunFinished');
  });

  it('ends as achieved when a person says so', async () => {
    const world = new WorkWorld({ a: (context) => context.suspend({ type: 'waitForInput' }) });
    await world.start();
    await world.work();
    await world.handler.handle({ kind: 'AchieveGoal', ...aRunRef, by: 'ada' });
    await world.conductor.advance(aRunRef);
    expect(last(await world.kinds())).toBe('RunFinished');
  });

  it('ends as achieved without being started when it still waits for a slot', async () => {
    for (const waiting of [[], [queueRun()]]) {
      const world = new WorkWorld({ a: async () => 'a' });
      for (const command of [requestRun(), ...waiting]) await world.handler.handle(command);
      await world.conductor.advance(aRunRef);
      expect(last(await world.kinds())).not.toBe('RunFinished');
      await world.handler.handle({ kind: 'AchieveGoal', ...aRunRef, by: 'ada' });
      await world.conductor.advance(aRunRef);
      expect(await world.kinds()).not.toContain('RunStarted');
      expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', stepsCompleted: 0, toolsUsed: [] });
      expect(world.conductor.resident).toBe(0);
    }
  });
});

describe('A worker that was replaced', () => {
  it('changes nothing any more, and says so in one line', async () => {
    const world = new WorkWorld({
      a: async (context) => {
        if (context.attempt === 1) {
          await world.newWorker().execute(task, redelivered); // the queue took this one for dead
          context.emit({ kind: 'TokenDelta', text: 'late' });
        }
        return `by attempt ${context.attempt}`;
      },
    });
    await world.start();
    const task = world.queue.waiting[0]!;
    await world.work();
    expect((await world.kinds()).filter((kind) => kind === 'NodeFinished')).toHaveLength(1);
    expect(last(await world.events())).toMatchObject({ output: { text: 'by attempt 2' } });
    expect(await world.kinds()).not.toContain('TokenDelta');
    expect(world.letGo).toHaveLength(1);
  });

  it('leaves the message to the one who has it now', async () => {
    const world = new WorkWorld({
      a: async (context) => {
        if (context.attempt === 1) await world.newWorker().execute(task, redelivered);
        return context.attempt;
      },
    });
    await world.start();
    const task = world.queue.waiting[0]!;
    const stalled = { deliveries: 1, hasStalled: () => true };
    expect(await world.worker.execute(task, stalled)).toEqual({ kind: 'leave' });
  });

  it('is not taken over by a second message for the same task', async () => {
    const outcomes: unknown[] = [];
    const world = new WorkWorld({
      a: async () => {
        outcomes.push(await world.newWorker().execute(task));
        return 'once';
      },
    });
    await world.start();
    const task = world.queue.waiting[0]!;
    await world.work();
    expect(outcomes).toEqual([{ kind: 'done' }]);
    expect(last(await world.kinds())).toBe('RunFinished');
  });
});
