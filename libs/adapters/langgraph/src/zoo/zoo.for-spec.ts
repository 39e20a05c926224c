import { isRecord } from '../json-object.js';
import type { Exhibit } from './exhibit.for-spec.js';
import { messageGraphs } from './message-graphs.for-spec.js';
import { nestedGraphs } from './nested-graphs.for-spec.js';
import { speakingGraphs } from './speaking-graphs.for-spec.js';
import { stateGraphs } from './state-graphs.for-spec.js';
import { waitingGraphs } from './waiting-graphs.for-spec.js';

export const zoo: [string, Exhibit][] = Object.entries({
  ...stateGraphs,
  ...nestedGraphs,
  ...messageGraphs,
  ...waitingGraphs,
  ...speakingGraphs,
});

/** LangGraph gives messages random ids, and so do models. */
export const withoutIds = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (!isRecord(value)) return value;
  const isMessage = 'type' in value && 'content' in value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !(isMessage && key === 'id'))
      .map(([key, item]) => [key, withoutIds(item)]),
  );
};
