export { EventId, Name, RequestId, RunId, TaskKey, TenantId, ThreadId, TicketId, WorkerId } from './ids.js';
export {
  AgentAnnouncement,
  AgentGraph,
  AgentTool,
  MAX_ANNOUNCEMENT_BYTES,
  WorkerPresence,
  type JsonSchema,
} from './agent-announcement.js';
export { inputChecker, type FieldProblem } from './json-schema-check.js';
export { INPUT_RESPONSES, InputRequest, type InputRequestType, type InputResponse } from './input-requests.js';
export { Speaker, type StampField } from './events/stamp.js';
export { RetryOnFailure, Usage } from './events/run-lifecycle.events.js';
export { NodeError } from './events/node.events.js';
export {
  RunEvent,
  schemaOf,
  type RunEventKind,
  type RunEventOf,
  type RunFact,
  type RunFactOf,
} from './events/run-event.js';
export { ThreadCreated, ThreadEvent } from './events/thread-event.js';
export {
  isRunEventKind,
  isTerminal,
  KINDS,
  RUN_EVENT_KINDS,
  SERVICES,
  TERMINAL_KINDS,
  TRANSIENT_SIGNALS,
  type KindTraits,
  type Persistence,
  type ServiceName,
  type TerminalKind,
  type TransientSignal,
  type Visibility,
} from './kinds.js';
export {
  classify,
  INTERNAL_TOOL_PREFIXES,
  isInternalTool,
  isPublic,
  type Classifiable,
  type Classification,
} from './classification.js';
export {
  LIVE_PREFIX,
  parseSubject,
  runOfSubject,
  runOfTimer,
  subjects,
  type ParsedSubject,
  type RunRef,
  type ThreadRef,
} from './subjects.js';
export { RunStatus, threadStatusOf, ThreadRunStatus } from './run-status.js';
export { REFUSALS, RUN_ERROR_CODES, type RefusalCode, type RunErrorCode } from './error-codes.js';
export { BlobRef, MAX_INLINE_BYTES } from './blob-ref.js';
export { NodeTask, type ReadyTask } from './node-task.js';
export { RunTask, type RunSeed } from './run-task.js';
export {
  type AppendedAt,
  decodeRunEvent,
  decodeThreadEvent,
  EventInvalid,
  parseAppendedEvent,
  parseRunEvent,
  parseThreadEvent,
} from './event-codec.js';
export {
  aRequestId,
  aRunId,
  aTaskKey,
  aTenantId,
  aThreadId,
  anEventId,
  eventFixture,
  FACT_FIXTURES,
  THREAD_CREATED_FIXTURE,
} from './fixtures.js';
export {
  CommandBody,
  CreateRunBody,
  EventsPage,
  EventsQuery,
  ProvideInputBody,
  RunCreated,
  RunParams,
  RunStatusAnswer,
  RunView,
  StreamTicketAnswer,
} from './http/native.http.js';
export { AgentInputBody, AgentRunParams, StartAgentBody } from './http/agent.http.js';
export {
  CreateThreadBody,
  PostMessageBody,
  ThreadCreatedAnswer,
  ThreadParams,
  ThreadRunView,
} from './http/thread.http.js';
export { AnswerBody, DoneBody, IdempotencyKey, RunInputParams, ThreadView } from './http/requests.http.js';
export {
  LogsAnswer,
  MessagesAnswer,
  RunDetail,
  RunLogLine,
  RunSaidMessage,
  RunStep,
  StepsAnswer,
  TrailAnswer,
  TrailLine,
} from './http/run-reads.http.js';
export { RunsPage, RunsQuery, RunSummary } from './http/run-list.http.js';
export { EXAMPLES, type OperationExample } from './http/examples.js';
export { OPERATIONS, scopeOf, type Operation } from './http/operations.js';
export { openApi, type Whereabouts } from './proto/open-api.js';
export { RetryBody, RetryCreated, RunImprovement } from './http/retry.http.js';
export {
  AgentDetail,
  AgentParams,
  AgentsPage,
  AgentsQuery,
  AgentSummary,
  AgentVersionParams,
} from './http/catalogue.http.js';
export { Problem } from './http/problem.http.js';
export {
  AgentEvent,
  ApplyEditsEvent,
  InspectNodeEvent,
  QueryConsentEvent,
  ReadGraphEvent,
  SuspendEvent,
  WaitForChoiceEvent,
  WaitForInputEvent,
  type AgentEventOf,
  type AgentEventType,
} from './wire/agent-event.js';
export { THREAD_FRAMES, type ThreadFrame, type ThreadFrameData, type ThreadFrameType } from './wire/thread-frame.js';
export {
  CLOSING_CODES,
  CLOSING_EVENT,
  firstSequenceOf,
  type MergedDelta,
  type PublicEvent,
} from './wire/public-event.js';
export { FeedCursor, FeedQuery, LastEventId, StreamClosing, StreamQuery } from './wire/stream.js';
export type {
  AgentInputRequest,
  AgentsRequest,
  AnswerRequest,
  CommandRequest,
  CreateRunRequest,
  CreateThreadRequest,
  DoneRequest,
  EventsPageAnswer,
  EventsRequest,
  NewThreadAnswer,
  PostMessageRequest,
  RetryRequest,
  RunLogsAnswer,
  RunMessagesAnswer,
  RunsRequest,
  RunStepsAnswer,
  RunTrailAnswer,
  StartAgentRequest,
  StatusAnswer,
  ThreadRunAnswer,
  WireAgentEvent,
  WireSuspendEvent,
} from './http/client.types.js';
