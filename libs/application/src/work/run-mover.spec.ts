import { describe, expect, it } from '@jest/globals';
import { AgentUnknown, nodeContext } from '@millrace/agent-sdk';
import type { RunEvent } from '@millrace/contracts';
import { aRunRef, cancelRun, queueRun, requestRun } from '@millrace/testing';
import { WorkWorld } from '../work-world.for-spec.js';

const last = <T>(items: readonly T[]): T | undefined => items.at(-1);

describe('A run', () => {
  it('goes through its nodes to the end, two events a step', async () => {
    const world = new WorkWorld({ greet: async () => 'hello', ask: async () => 'how are you?' });
    await world.start();
    expect(await world.kinds()).toEqual([
      'RunRequested',
      'RunStarted',
      'NodeStarted',
      'NodeFinished',
      'NodeStarted',
      'NodeFinished',
      'GraphEnded',
      'RunFinished',
    ]);
    expect(last(await world.events())).toMatchObject({ stepsCompleted: 2, summary: 'hello how are you?' });
    expect(world.platform.store.tasks.messages).toEqual([]);
    expect(world.workers[0]!.mover.inHand).toBe(0);
  });

  it.each([1, 2, 3])('goes on in another worker when the one that moved it dies in step %i', async (fatal) => {
    const did: string[] = [];
    const node = (name: string, number: number) => async () => {
      did.push(name);
      if (number === fatal && did.filter((done) => done === name).length === 1) {
        world.workers[0]!.process.crash();
        await new Promise(() => {});
      }
      return name;
    };
    const world = new WorkWorld({ a: node('a', 1), b: node('b', 2), c: node('c', 3) }, { workers: 2 });
    await world.start();
    if (!(await world.kinds()).includes('RunFinished')) await world.advance(7_000);
    expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', output: { text: 'a b c' } });
    expect((await world.kinds()).filter((kind) => kind === 'NodeFinished')).toHaveLength(3);
    expect(did).toHaveLength(4);
  });

  it('reports what it used', async () => {
    const world = new WorkWorld(
      {
        think: async (context) => {
          await context.llm({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
          return context.tool('add', { a: 1 });
        },
      },
      { tools: { add: { run: async () => 2 } } },
    );
    await world.start();
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
    await world.advance(2_000);
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
        tools: {
          add: {
            run: async (_, { log }) => {
              log('warn', 'slow today', { ms: 9 });
              return 2;
            },
          },
        },
      },
    );
    await world.start();
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
        tools: {
          add: {
            run: async (_, { idempotencyKey }) => {
              did.push(idempotencyKey);
              return 2;
            },
          },
        },
      },
    );
    await world.start();
    expect(last(await world.kinds())).toBe('NodeRetryScheduled');
    await world.advance(1_999);
    expect(last(await world.kinds())).toBe('NodeRetryScheduled'); // not yet
    await world.advance(1);
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
        tools: {
          flaky: {
            run: async () => {
              calls += 1;
              if (calls === 1) throw new Error('busy');
              return 'fine';
            },
          },
        },
      },
    );
    await world.start();
    await world.advance(60_000);
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

  it('ends the run and leaves a dead letter when it has failed too often', async () => {
    const world = new WorkWorld({ work: () => Promise.reject(new Error('always')) });
    await world.start();
    for (const afterMs of [2_000, 4_000]) {
      expect(last(await world.kinds())).toBe('NodeRetryScheduled');
      await world.advance(afterMs);
    }
    expect(last(await world.events())).toMatchObject({
      kind: 'RunFailed',
      errorCode: 'MAX_RETRIES_EXCEEDED',
      reason: 'always',
    });
    expect(await world.deadLetters()).toEqual(['MAX_RETRIES_EXCEEDED: always']);
  });

  it('holds no worker while it waits for its next attempt', async () => {
    const world = new WorkWorld({ work: () => Promise.reject(new Error('always')) });
    await world.start();
    expect(world.workers[0]!.mover.inHand).toBe(0);
  });

  it('ends at once on an error no other attempt would change', async () => {
    const world = new WorkWorld({ work: () => Promise.reject(new TypeError('a bug')) });
    await world.start();
    expect(last(await world.kinds())).toBe('RunFailed');
    expect(await world.deadLetters()).toEqual(['NON_RETRYABLE_ERROR: a bug']);
  });
});

describe('A node whose workers die over it', () => {
  it('is given up after so many, and the run says why', async () => {
    const world = new WorkWorld(
      {
        work: async () => {
          world.workers.at(-1)!.process.crash();
          return new Promise(() => {});
        },
      },
      { workers: 1 },
    );
    await world.start();
    for (let deaths = 1; deaths <= 11; deaths += 1) {
      await world.addWorker();
      await world.advance(7_000);
    }
    expect(last(await world.events())).toMatchObject({
      kind: 'RunFailed',
      errorCode: 'MAX_RETRIES_EXCEEDED',
      reason: expect.stringContaining('11 workers died'),
    });
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
    expect((await world.kinds()).slice(-2)).toEqual(['InputRequested', 'NodeSuspended']);
    expect(world.workers[0]!.mover.inHand).toBe(0);
    await world.answer({ text: 'Ada' });
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
    expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', output: { text: 'fast' } });
  });

  it('asks for the same thing under the same id when its worker died meanwhile', async () => {
    let isFirst = true;
    const world = new WorkWorld(
      {
        ask: async (context) => {
          const asking = context.suspend({ type: 'waitForInput', prompt: 'Your name?' });
          if (!isFirst) return (await asking).text;
          isFirst = false;
          await asking.catch(() => world.workers[0]!.process.crash());
          return new Promise(() => {});
        },
      },
      { workers: 2 },
    );
    await world.start();
    await world.advance(7_000);
    const kinds = await world.kinds();
    expect(kinds.filter((kind) => kind === 'InputRequested')).toHaveLength(1);
    expect(last(kinds)).toBe('NodeSuspended');
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
      { tools: { count: { run: async () => nodeContext().log('info', 'counting') } } },
    );
    await world.start();
    const before = await world.events();
    await world.answer({ text: 'go on' });
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
        tools: {
          who: {
            run: async () => {
              const { text } = await nodeContext().suspend({ type: 'waitForInput' });
              names.push(text);
              return text;
            },
          },
        },
      },
    );
    await world.start();
    await world.answer({ text: 'Ada' });
    expect(last(await world.kinds())).toBe('NodeSuspended');
    await world.answer({ text: 'Bob' }, 1);
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
    expect(world.platform.store.timersSet.size).toBe(1);
    await world.advance(1_000);
    expect((await world.kinds()).slice(-5)).toEqual([
      ...['InputExpired', 'NodeStarted', 'NodeFinished', 'GraphEnded', 'RunFailed'],
    ]);
  });
});

describe('A tool that needs approval', () => {
  const calls: unknown[] = [];
  const approving = () => {
    calls.length = 0;
    return new WorkWorld(
      { pay: (context) => context.tool('transfer', { amount: 100 }) },
      {
        tools: {
          transfer: {
            needsApproval: true,
            run: async (input: unknown) => {
              calls.push(input);
              return 'paid';
            },
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
    expect(calls).toEqual([]);
    expect((await world.events()).find(({ kind }) => kind === 'InputRequested')).toMatchObject({
      request: { type: 'toolApproval', tool: 'transfer', input: { amount: 100 } },
    });
    await world.answer(decision);
    expect(calls).toEqual(called);
    expect(last(await world.kinds())).toBe(end);
    const responses = (await world.events()).filter(({ kind }) => kind === 'ToolFinished');
    expect(responses).toHaveLength(1);
  });
});

describe('A run that is stopped', () => {
  it('aborts what is in flight when it is canceled, and ends', async () => {
    const world = new WorkWorld({
      wait: (context) =>
        new Promise((_, reject) => {
          context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
        }),
    });
    await world.start();
    await world.order(cancelRun());
    expect((await world.kinds()).slice(-2)).toEqual(['RunCancelRequested', 'RunCanceled']);
    expect(world.letGo).toEqual(['1: AbortError: The run or the attempt is canceled']);
    expect(world.platform.store.tasks.messages).toEqual([]);
  });

  it('starts no node while it is paused, holds no worker, and goes on when it is resumed', async () => {
    const world = new WorkWorld({
      a: async () => {
        await world.handler.handle({ kind: 'PauseRun', ...aRunRef, by: 'ada' });
        return 'a';
      },
      b: async () => 'b',
    });
    await world.start();
    expect(last(await world.kinds())).toBe('NodeFinished');
    expect(world.platform.store.tasks.messages).toEqual([]);
    expect(world.workers[0]!.mover.inHand).toBe(0);
    await world.order({ kind: 'ResumeRun', ...aRunRef, by: 'ada' });
    expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', output: { text: 'a b' } });
  });

  it('goes on when it is resumed while its last body still works', async () => {
    let finish: () => void = () => {};
    const world = new WorkWorld({ a: () => new Promise<void>((resolve) => (finish = resolve)), b: async () => 'b' });
    await world.start();
    await world.order({ kind: 'PauseRun', ...aRunRef, by: 'ada' });
    await world.order({ kind: 'ResumeRun', ...aRunRef, by: 'ada' });
    finish();
    await world.quiet();
    expect(last(await world.kinds())).toBe('RunFinished');
  });

  it('ends as achieved when a person says so', async () => {
    const world = new WorkWorld({ a: (context) => context.suspend({ type: 'waitForInput' }) });
    await world.start();
    await world.order({ kind: 'AchieveGoal', ...aRunRef, by: 'ada' });
    expect(last(await world.kinds())).toBe('RunFinished');
  });

  it('ends as achieved without being started when it still waits for a slot', async () => {
    for (const waiting of [[], [queueRun()]]) {
      const world = new WorkWorld({ a: async () => 'a' });
      for (const command of [requestRun(), ...waiting]) await world.handler.handle(command);
      await world.overseer.advance(aRunRef);
      expect(last(await world.kinds())).not.toBe('RunFinished');
      await world.handler.handle({ kind: 'AchieveGoal', ...aRunRef, by: 'ada' });
      await world.overseer.advance(aRunRef);
      expect(await world.kinds()).not.toContain('RunStarted');
      expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', stepsCompleted: 0, toolsUsed: [] });
    }
  });
});

describe('A worker that stood still', () => {
  const frozenIn = async (options: { readonly together?: readonly string[] } = {}) => {
    let goOn: () => void = () => {};
    const world = new WorkWorld(
      {
        a: async (context) => {
          if (context.attempt > 1) return 'second';
          await new Promise<void>((resolve) => (goOn = resolve));
          context.emit({ kind: 'TokenDelta', text: 'late' });
          return 'first';
        },
        b: async () => 'b',
      },
      options,
    );
    await world.start();
    const [slow] = world.workers;
    slow!.process.freeze();
    await world.addWorker();
    return { world, slow: slow!, goOn: () => goOn() };
  };

  it('changes nothing any more, says so in one line, and leaves the message to the one that has it', async () => {
    const { world, slow, goOn } = await frozenIn();
    await world.advance(30_000);
    expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', output: { text: 'second b' } });
    slow.process.thaw();
    goOn();
    await world.advance(10_000);
    expect(await world.kinds()).not.toContain('TokenDelta');
    expect((await world.kinds()).filter((kind) => kind === 'NodeFinished')).toHaveLength(2);
    expect(world.letGo).toHaveLength(1);
  });

  it('does not begin the step behind the one it finished before it slept', async () => {
    const world = new WorkWorld({
      a: async () => 'a',
      b: async (context) => {
        if (context.attempt > 1) return 'b2';
        world.workers[0]!.process.freeze();
        return 'b1';
      },
      c: async () => 'c',
    });
    await world.start();
    await world.addWorker();
    await world.advance(30_000);
    world.workers[0]!.process.thaw();
    await world.advance(10_000);
    expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', output: { text: 'a b2 c' } });
    const starts = (await world.events()).filter((event) => event.kind === 'NodeStarted');
    expect(starts.map(({ taskKey, attempt }) => `${taskKey} ${attempt}`)).toEqual(['1/a 1', '2/b 1', '2/b 2', '3/c 1']);
  });
});

describe('A step of several nodes', () => {
  const together = ['b1', 'b2', 'b3'];
  const bodies = (body: (name: string) => Promise<unknown>) => ({
    a: async () => 'a',
    ...Object.fromEntries(together.map((name) => [name, () => body(name)])),
    c: async () => 'c',
  });

  it('is scheduled in one event, runs at once, and its results are joined', async () => {
    const world = new WorkWorld(
      bodies(async (name) => name),
      { together },
    );
    await world.start();
    const events = await world.events();
    expect(events.filter((event) => event.kind === 'NodeScheduled')).toMatchObject([
      { tasks: together.map((node) => ({ node })) },
    ]);
    expect(last(events)).toMatchObject({ kind: 'RunFinished', output: { text: 'a b1 b2 b3 c' }, stepsCompleted: 5 });
    expect(world.platform.store.tasks.messages).toEqual([]);
  });

  it('is shared with other workers when this one has no slot for all of it', async () => {
    const running = new Set<string>();
    let most = 0;
    const world = new WorkWorld(
      bodies(async (name) => {
        running.add(name);
        most = Math.max(most, running.size);
        while (most < 3) await new Promise(setImmediate);
        return name;
      }),
      { together, workers: 3, mover: { branches: 0 } },
    );
    await world.start();
    await world.quiet();
    expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', output: { text: 'a b1 b2 b3 c' } });
    expect((await world.kinds()).filter((kind) => kind === 'NodeStarted')).toHaveLength(5);
  });

  it('is finished by others when the worker that moves the run dies in the middle of it', async () => {
    const world = new WorkWorld(
      bodies(async (name) => {
        const isFirst = !(await world.kinds()).includes('NodeFinished') || world.workers.length === 1;
        if (name === 'b2' && isFirst) {
          world.workers[0]!.process.crash();
          await new Promise(() => {});
        }
        return name;
      }),
      { together },
    );
    await world.start();
    await world.addWorker();
    for (let waits = 0; waits < 3; waits += 1) await world.advance(7_000);
    expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', output: { text: 'a b1 b2 b3 c' } });
    expect((await world.kinds()).filter((kind) => kind === 'NodeFinished')).toHaveLength(5);
  });

  it('goes on with a branch that is answered while another one works, and with one that retries', async () => {
    let finish: () => void = () => {};
    let failures = 0;
    const world = new WorkWorld(
      {
        ask: async (context) => (await context.suspend({ type: 'waitForInput' })).text,
        work: () => new Promise<string>((resolve) => (finish = () => resolve('worked'))),
        flaky: async () => {
          failures += 1;
          if (failures === 1) throw new Error('busy');
          return 'fine';
        },
      },
      { together: ['ask', 'work', 'flaky'] },
    );
    await world.start();
    await world.answer({ text: 'Ada' });
    await world.advance(2_000);
    const finished = (await world.events()).filter((event) => event.kind === 'NodeFinished');
    expect(finished.map(({ node }) => node)).toEqual(['ask', 'flaky']);
    finish();
    await world.quiet();
    expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', output: { text: 'Ada worked fine' } });
  });

  it('lets the run go while all of it waits for people', async () => {
    const world = new WorkWorld(
      {
        one: async (context) => (await context.suspend({ type: 'waitForInput' })).text,
        two: async (context) => (await context.suspend({ type: 'waitForInput' })).text,
      },
      { together: ['one', 'two'] },
    );
    await world.start();
    expect(world.platform.store.tasks.messages).toEqual([]);
    expect(world.workers[0]!.mover.inHand).toBe(0);
    await world.answer({ text: 'B' }, 1);
    expect(world.platform.store.tasks.messages).toEqual([]);
    await world.answer({ text: 'A' }, 0);
    expect(last(await world.events())).toMatchObject({ kind: 'RunFinished', output: { text: 'A B' } });
  });
});

describe('A message of a run', () => {
  it('is in the queue once, however often the run is offered', async () => {
    const world = new WorkWorld({ a: () => new Promise(() => {}) });
    await world.start();
    await world.overseer.wake(aRunRef);
    await world.quiet();
    expect(world.platform.store.tasks.messages).toHaveLength(1);
    expect((await world.kinds()).filter((kind) => kind === 'NodeStarted')).toHaveLength(1);
  });

  it('is done with at once for a run that has ended', async () => {
    const world = new WorkWorld({ a: async () => 'a' });
    await world.start();
    const before = await world.kinds();
    const task = { version: '1', work: 'run', ...aRunRef, agent: 'echo', agentVersion: '1', place: 1 } as const;
    expect(await world.platform.tasks.offerRun(task)).toBe(true);
    await world.quiet();
    expect(await world.kinds()).toEqual(before);
    expect(world.platform.store.tasks.messages).toEqual([]);
  });

  it('goes back to the queue from a worker that does not have the agent, and nothing is appended', async () => {
    const world = new WorkWorld({ a: async () => 'a' });
    world.graphs.start = () => {
      throw new AgentUnknown('There is no agent echo', 'AGENT_NOT_FOUND');
    };
    await world.start();
    await world.advance(60_000);
    expect(await world.kinds()).toEqual(['RunRequested', 'RunStarted']);
    expect(world.failed).toEqual(['AgentUnknown: There is no agent echo']); // told once
    Reflect.deleteProperty(world.graphs, 'start');
    await world.advance(60_000);
    expect(last(await world.kinds())).toBe('RunFinished');
  });

  it.each([
    ['ends when workers have only other versions of its agent', true, 'RunFailed'],
    ['waits while no worker has its agent, or one has this version', false, 'RunStarted'],
  ])('%s', async (_, isVersionGone, kind) => {
    const world = new WorkWorld({ a: async () => 'a' }, { isVersionGone });
    world.graphs.start = () => {
      throw new AgentUnknown('Agent echo 1 is gone: there is 2', 'AGENT_VERSION_GONE');
    };
    await world.start();
    await world.advance(1_000);
    expect(last(await world.kinds())).toBe('RunStarted');
    await world.advance(60_000);
    expect(last(await world.events())).toMatchObject({ kind });
    const failed = (await world.events()).find((event) => event.kind === 'RunFailed');
    const why = { errorCode: 'AGENT_VERSION_GONE', reason: 'Agent echo 1 is gone: there is 2' };
    expect(failed ?? why).toMatchObject(why);
  });

  it('ends the run when its graph cannot be started, and says why', async () => {
    const world = new WorkWorld({ a: async () => 'a' });
    world.graphs.start = () => {
      throw new TypeError('nodes is not iterable');
    };
    await world.start();
    await world.advance(60_000);
    expect(last(await world.events())).toMatchObject({
      kind: 'RunFailed',
      errorCode: 'INTERNAL_ERROR',
      reason: 'nodes is not iterable',
    });
  });
});

describe('What a body throws', () => {
  it('is told with its stack for each attempt, and bounded in the log of the run', async () => {
    const world = new WorkWorld({
      a: async () => {
        throw Object.assign(new Error('x'.repeat(1_000_000)), { code: 'c'.repeat(1_000) });
      },
    });
    world.retry = { maxAttempts: 2, firstDelayMs: 10 };
    await world.start();
    await world.advance(1_000);
    expect(world.bodiesFailed).toEqual([
      { attempt: 1, error: expect.objectContaining({ stack: expect.stringContaining('run-mover.spec') }) },
      { attempt: 2, error: expect.any(Error) },
    ]);
    const errors = (await world.events()).flatMap((event) =>
      event.kind === 'NodeFinished' || event.kind === 'NodeRetryScheduled' ? [event.error] : [],
    );
    expect(errors.map((error) => error?.message.length)).toEqual([10_000, 10_000]);
    expect(errors.map((error) => error?.message.at(-1))).toEqual(['…', '…']);
    expect(errors[0]?.code).toHaveLength(200);
    expect((await world.events()).at(-1)).toMatchObject({ kind: 'RunFailed', errorCode: 'MAX_RETRIES_EXCEEDED' });
  });
});
