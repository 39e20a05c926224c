export { createClient, type MillraceClient } from './millrace-client.js';
export { connect, type ClientOptions, type Connection } from './connect.js';
export type { GetToken } from './http/token-source.js';
export type { CreateOptions, RequestOptions } from './routes/request.js';
export type { RunRoutes } from './routes/run.routes.js';
export type { AgentRoutes } from './routes/agent.routes.js';
export type { ThreadEventsOptions, ThreadRoutes } from './routes/thread.routes.js';
export { ApiError, ConnectionFailed, MillraceError, StreamBroken, StreamSilent } from './errors.js';
export { SseParser, type SseFrame } from './sse/sse-parser.js';
export type { StreamRunOptions } from './stream/run-stream.js';
export type { FeedItem, FeedOptions } from './stream/event-feed.js';
export { Attempts, standingEvents } from './stream/attempts.js';
export type { ConnectionState, FollowOptions } from './stream/sse-follow.js';
export type { PublicEvent } from '@millrace/contracts';
export type { TokenDelta } from './stream/public-event.js';
export { coalesceTokenDeltas, DeltaBuffer, mergeTokenDeltas } from './tokens/token-deltas.js';
export type {
  AgentEvent,
  AgentEventOf,
  AgentEventType,
  AnswerTo,
  NoticeEvent,
  NoticeType,
  SuspendEvent,
  SuspendType,
} from './agent/agent-events.js';
export type { AgentEventSink } from './agent/agent-event-sink.js';
export {
  AgentEventConsumer,
  type AgentEventHandlers,
  type Asking,
  type NoticeHandler,
  type SuspendHandler,
} from './agent/agent-event-consumer.js';
export { LocalAgentEventBridge } from './agent/local-agent-event-bridge.js';
export { SSEAgentEventSource, type SSEAgentEventSourceOptions } from './agent/sse-agent-event-source.js';
export type { Answered } from './agent/pending-requests.js';
export type { AgentOutcome, AgentRunHandle } from './agent/agent-run-handle.js';
export { LocalAgentRun, type AgentLoop, type LoopRun } from './agent/local-agent-run.js';
export { SSEAgentRun } from './agent/sse-agent-run.js';
export { AgentService, type AgentOrder } from './agent/agent-service.js';
export { buildHooksFromSink, type LoopHooks } from './agent/loop-hooks.js';
export { reportCalls, reporterInto, type MakeReporter, type ProgressReporter } from './agent/progress-reporter.js';
export { AgentUi, answerByPerson, type Choices, type PersonAtHand } from './agent/agent-ui.js';
