export { RunCommandHandler, type Handled } from './run-command-handler.js';
export { RunSession, type SessionPorts, type Store } from './run-session.js';
export { RunWriter, type WriterOptions } from './run-writer.js';
export { RunOverseer, type OverseePorts } from './oversee/run-overseer.js';
export { RunMover, type DeliveredMessage, type MoveNotes, type MoverOptions } from './work/run-mover.js';
export type { MovePorts, TaskMessage } from './work/moved-run.js';
export { AgentAnnouncements, type AnnounceNotes, type AnnouncePorts } from './work/agent-announcements.js';
export { ServedVersions } from './work/served-versions.js';
export type { BodyNotes, NodeWork } from './work/body-runner.js';
export { Dispatcher, type DispatchNotes, type DispatchPorts } from './dispatch/dispatcher.js';
export { DispatchQueue, type DispatchLimits, type DispatchSnapshot } from './dispatch/dispatch-queue.js';
export { reasonOf, SetAsides, type Loop, type SetAside, type SetAsideNotes } from './set-aside.js';
export type { WaitingRun } from './dispatch/waiting-line.js';
export { RunRedrive, type Redriven } from './run-redrive.js';
export { RunQueries, type PublicPage } from './api/run-queries.js';
export { LogRunQueries } from './api/log-run-queries.js';
export {
  StoredRunQueries,
  type StoredRunOptions,
  type StoredRuns,
  type StoreHealth,
} from './api/stored-run-queries.js';
export { summaryOf } from './api/run-answers.js';
export { AnswerInvalid, RunOrders, type Caller, type RunDefaults, type RunOrder } from './api/run-orders.js';
export { RunRetries, type RetryOptions } from './api/run-retries.js';
export { AgentChecks, AgentNotFound, InputInvalid } from './api/agent-checks.js';
export { AgentQueries } from './api/agent-queries.js';
export { runIdOfKey, threadIdOfKey } from './api/idempotent-id.js';
export { ThreadOrders, ThreadRefused, type ThreadPorts } from './api/thread-orders.js';
