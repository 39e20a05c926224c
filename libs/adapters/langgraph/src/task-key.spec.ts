import { TaskKey } from '@millrace/contracts';
import { describe, expect, it } from '@jest/globals';
import type { TaskPlace } from './langgraph-internals.js';
import { levelOf, rootStepOf, taskKeyOf } from './task-key.js';

const at = (step: number, node: string, more: Partial<TaskPlace> = {}): TaskPlace => ({
  ...{ step, node, sendIndex: undefined, taskId: 't', parentTaskId: undefined, handlesError: false },
  ...more,
});

describe('a task key', () => {
  const sub = taskKeyOf(at(2, 'sub', { sendIndex: 1 }), undefined);

  it('says where a task stands', () => {
    expect(taskKeyOf(at(3, 'agent'), undefined)).toBe('3/agent');
    expect(sub).toBe('2/sub[1]');
    expect(taskKeyOf(at(4, 'inner', { sendIndex: 0 }), sub)).toBe('2/sub[1]>4/inner[0]');
    expect(taskKeyOf(at(2, 'handler', { handlesError: true }), sub)).toBe('2/sub[1]!2/handler');
  });

  it('is no other node’s, whatever that is called', () => {
    const keys = ['w', 'w[0]', 'w%5b0]', 'w>1/x', 'w!1/x'].map((name) => taskKeyOf(at(1, name), undefined));
    const sent = taskKeyOf(at(1, 'w', { sendIndex: 0 }), undefined);
    const inside = taskKeyOf(at(1, 'x'), taskKeyOf(at(1, 'w'), undefined));
    expect(new Set([...keys, sent, inside]).size).toBe(7);
  });

  it('tells its level and its step', () => {
    const inner = taskKeyOf(at(4, 'a>b/7'), sub);
    expect(levelOf(inner)).toEqual({ group: '2/sub[1]>', step: 4 });
    expect(levelOf(taskKeyOf(at(2, 'h', { handlesError: true }), sub))).toEqual({ group: '2/sub[1]!', step: 2 });
    expect(levelOf(sub)).toEqual({ group: '', step: 2 });
    expect(rootStepOf(inner)).toBe(2);
    expect(rootStepOf(TaskKey.parse('12/a'))).toBe(12);
  });
});
