import { describe, expect, it } from '@jest/globals';
import { Command, INTERRUPT, isInterrupted } from '@langchain/langgraph';
import type { AgentDefinition, CompiledGraph } from '@millrace/agent-sdk';
import { PlayedRun, type PlayOptions } from './played-run.for-spec.js';
import { toReadable } from './readable.js';
import type { Exhibit } from './zoo/exhibit.for-spec.js';
import { withoutIds, zoo } from './zoo/zoo.for-spec.js';

const afterEveryStep = () => true;

describe.each(zoo)('%s', (_name, { graph, input, answer, orderTells = false }) => {
  const definition: AgentDefinition = { id: 'zoo', version: '1', graph };
  const options: PlayOptions = { checkpointRule: afterEveryStep, ...(answer ? { answer } : {}) };
  const play = (more: PlayOptions = {}) => new PlayedRun(definition, input, { ...options, ...more });

  it('ends as it does in one process, whichever node is faster', async () => {
    const expected = { kind: 'finished', output: withoutIds(await runInProcess(graph, input, answer)) };
    for (const takes of orderTells ? (['oldest'] as const) : (['oldest', 'newest'] as const)) {
      const state = await play({ takes }).toEnd();
      expect(withoutIds(state)).toEqual(expected);
    }
  });

  it.each([
    ['the beginning', 'newest', 'first'],
    ['the beginning', 'oldest', 'by its start'],
    ['the last checkpoint', 'newest', 'by its start'],
  ] as const)(
    'goes on from %s after a crash behind every event, and runs nothing again (%s, scheduled %s)',
    async (startFrom, takes, schedules) => {
      const whole = play({ takes, schedules });
      const end = await whole.toEnd();
      for (let length = 0; length < whole.events.length; length += 1) {
        const history = whole.events.slice(0, length);
        const run = play({ history, startFrom, takes, schedules: 'by its start' }); // also behind a log of before
        expect(withoutIds(await run.toEnd())).toEqual(withoutIds(end));
        expect(new Set(run.keys)).toEqual(new Set(whole.keys));
        expect(run.executed.filter((key) => isFinished(history, key))).toEqual([]);
      }
    },
  );
});

const isFinished = (history: PlayedRun['events'], key: string): boolean =>
  history.some((event) => event.kind === 'NodeFinished' && event.taskKey === key);

const runInProcess = async (graph: CompiledGraph, input: unknown, answer: Exhibit['answer']): Promise<unknown> => {
  const config = { configurable: { thread_id: 'reference' } };
  let state = await graph.invoke(structuredClone(input), config);
  while (isInterrupted(state)) {
    const resume = Object.fromEntries(state[INTERRUPT].map(({ id = '', value }) => [id, answer?.(value)]));
    state = await graph.invoke(new Command({ resume }), config);
  }
  return toReadable(state);
};
