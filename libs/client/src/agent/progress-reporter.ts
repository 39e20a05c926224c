import type { AgentEventConsumer } from './agent-event-consumer.js';
import type { AgentEventSink } from './agent-event-sink.js';
import type { AgentEventOf } from './agent-events.js';

/** What a function that takes long tells while it works: a picture that is drawn, a film that is cut. */
export interface ProgressReporter {
  addJson(json: unknown): void;
  addError(error: string): void;
  finish(json?: unknown): void;
}

/** The reporter a function is given: what it reports travels as events of its call. */
export const reporterInto = (sink: AgentEventSink, callId: string, subagentId = callId): ProgressReporter => ({
  addJson: (json) => sink.emit({ type: 'subagentAddJson', callId, subagentId, json }),
  addError: (error) => sink.emit({ type: 'subagentError', callId, subagentId, error }),
  finish: (json) => sink.emit({ type: 'subagentFinish', callId, subagentId, ...(json === undefined ? {} : { json }) }),
});

export type MakeReporter = (call: AgentEventOf<'functionCall'>) => ProgressReporter;

/**
 * The other end: each call of a function has a real reporter, and what comes of the call goes to it, however many
 * calls run at once. A call that began before we listened has none.
 */
export function reportCalls(consumer: AgentEventConsumer, makeReporter: MakeReporter): () => void {
  const reporterMap = new Map<string, ProgressReporter>();
  const offs = [
    consumer.on('functionCall', (call) => void reporterMap.set(call.callId, makeReporter(call))),
    consumer.on('subagentAddJson', ({ callId, json }) => reporterMap.get(callId)?.addJson(json)),
    consumer.on('subagentError', ({ callId, error }) => reporterMap.get(callId)?.addError(error)),
    consumer.on('subagentFinish', ({ callId, json }) => reporterMap.get(callId)?.finish(json)),
    consumer.on('functionResult', ({ callId }) => void reporterMap.delete(callId)),
  ];
  return () => offs.forEach((off) => off());
}
