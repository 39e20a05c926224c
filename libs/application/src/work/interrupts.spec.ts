import { describe, expect, it } from '@jest/globals';
import { aRunId, aTaskKey, type RunFact } from '@millrace/contracts';
import { effectRecorded, inputProvided, inputRequested, nodeStarted, stored } from '@millrace/testing';
import { Interrupts } from './interrupts.js';
import { TaskJournal } from './task-journal.js';

const after = (...facts: RunFact[]) => new Interrupts(TaskJournal.of(aTaskKey, stored(facts)));
const asking = (interrupts: Interrupts) => interrupts.ask(aRunId, aTaskKey, [{ id: 'graph-1', value: 'Publish?' }]);

const [first] = asking(after());
const requestId = first!.requestId;
const kept = effectRecorded({ key: '$interrupts/0', value: { state: 'S0', ids: { [requestId]: 'graph-1' } } });
const asked = inputRequested({ requestId, request: first!.request });
const answered = inputProvided({ requestId, response: { text: 'yes' } });

describe('The interrupts of a graph', () => {
  it('are asked for as questions with an open answer', () => {
    expect(first).toMatchObject({ request: { type: 'waitForInput', prompt: 'Publish?' } });
    expect(after().resume).toBeUndefined();
  });

  it('are asked for under the same ids by a worker that follows one that died in the middle of asking', () => {
    for (const history of [
      [nodeStarted(), kept],
      [nodeStarted(), kept, asked],
    ]) {
      expect(asking(after(...history))[0]?.requestId).toBe(requestId);
      expect(after(...history).key).toBe('$interrupts/0');
      expect(after(...history).resume).toBeUndefined();
    }
  });

  it('are resumed with their answers, and the next ones have ids of their own', () => {
    const interrupts = after(nodeStarted(), kept, asked, answered);
    expect(interrupts.resume).toEqual({ state: 'S0', answers: { 'graph-1': 'yes' } });
    expect(interrupts.key).toBe('$interrupts/1');
    expect(asking(interrupts)[0]?.requestId).not.toBe(requestId);
  });

  it.each([
    [{ text: '', value: { any: 'thing' } }, { any: 'thing' }],
    [{ text: '', value: false }, false],
    [{ consent: true }, { consent: true }],
  ])('give the graph what it asked for: %j', (response, value) => {
    const interrupts = after(nodeStarted(), kept, asked, inputProvided({ requestId, response }));
    expect(interrupts.resume?.answers).toEqual({ 'graph-1': value });
  });
});
