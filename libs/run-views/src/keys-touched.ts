import type { RunEvent } from '@millrace/contracts';
import { storableText } from './storable.js';

export interface TouchedKeys {
  readonly taskKeys: readonly string[];
  readonly toolUseIds: readonly string[];
  readonly requestIds: readonly string[];
}

/** The rows one has to know, beside the run's own, to go on folding with these events. */
export const keysTouched = (events: Iterable<RunEvent>): TouchedKeys => {
  const taskKeys = new Set<string>();
  const toolUseIds = new Set<string>();
  const requestIds = new Set<string>();
  for (const event of events) {
    if (event.kind === 'NodeScheduled') for (const { key } of event.tasks) taskKeys.add(storableText(key));
    if ('taskKey' in event) taskKeys.add(storableText(event.taskKey));
    if ('toolUseId' in event) toolUseIds.add(storableText(event.toolUseId));
    if ('requestId' in event) requestIds.add(event.requestId);
  }
  return { taskKeys: [...taskKeys], toolUseIds: [...toolUseIds], requestIds: [...requestIds] };
};
