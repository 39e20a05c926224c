import { type NodeTask, subjects } from '@millrace/contracts';
import type { DeadLetter, StorePlace } from '@millrace/ports';
import type { NodeWork } from './body-runner.js';

/** Of a node that failed for good: the task as it could be offered again. `place` is that of its NodeFinished. */
export const deadNode = (
  work: NodeWork,
  attempts: number,
  reason: string,
  place: StorePlace,
): Omit<DeadLetter, 'id'> => {
  const task: NodeTask = { version: '1', ...work };
  return {
    consumer: 'node-workers',
    reason,
    attempts,
    subject: subjects.task({ ...work, taskKey: work.key }),
    stream: 'RUNS',
    streamSequence: place,
    data: new TextEncoder().encode(JSON.stringify(task)),
  };
};
