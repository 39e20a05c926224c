import type { AgentEventSink } from './agent-event-sink.js';
import type { AgentEventOf, NoticeEvent, NoticeType } from './agent-events.js';
import { type ProgressReporter, reporterInto } from './progress-reporter.js';

const HOOKS = {
  onStart: 'start',
  onThought: 'thought',
  onFunctionCall: 'functionCall',
  onFunctionCallUpdate: 'functionCallUpdate',
  onFunctionResult: 'functionResult',
  onContent: 'content',
  onTurnComplete: 'turnComplete',
  onSendRequest: 'sendRequest',
  onGraphEdit: 'graphEdit',
  onComplete: 'complete',
  onError: 'error',
  onFinish: 'finish',
} as const satisfies Record<`on${string}`, NoticeType>;

type Hook = keyof typeof HOOKS;
type About<H extends Hook> = Omit<AgentEventOf<(typeof HOOKS)[H]>, 'type'>;

/** What a loop calls as it goes. A function it calls is given a reporter for what happens inside. */
export type LoopHooks = {
  readonly [H in Hook]: (about: About<H>) => H extends 'onFunctionCall' ? ProgressReporter : void;
};

/** Hooks that say everything through the sink: a loop written for hooks emits events unchanged. */
export const buildHooksFromSink = (sink: AgentEventSink): LoopHooks => {
  const telling =
    <H extends Hook>(hook: H) =>
    (about: About<H>): void =>
      sink.emit({ type: HOOKS[hook], ...about } as NoticeEvent);
  return {
    onStart: telling('onStart'),
    onThought: telling('onThought'),
    onFunctionCall: (call) => {
      sink.emit({ type: 'functionCall', ...call });
      return reporterInto(sink, call.callId);
    },
    onFunctionCallUpdate: telling('onFunctionCallUpdate'),
    onFunctionResult: telling('onFunctionResult'),
    onContent: telling('onContent'),
    onTurnComplete: telling('onTurnComplete'),
    onSendRequest: telling('onSendRequest'),
    onGraphEdit: telling('onGraphEdit'),
    onComplete: telling('onComplete'),
    onError: telling('onError'),
    onFinish: telling('onFinish'),
  };
};
