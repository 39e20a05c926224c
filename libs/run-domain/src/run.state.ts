import type {
  InputRequestType,
  RequestId,
  RetryOnFailure,
  RunFactOf,
  RunId,
  RunStatus,
  TaskKey,
} from '@millrace/contracts';
import { PersistentMap } from './persistent-map.js';

/**
 * What a run remembers of its history: enough to decide, and nothing it only carries. Texts, outputs and answers stay
 * in the log, because the state of a long run sits in memory.
 */
export type Run = AbsentRun | WaitingRun | ActiveRun | CancelingRun | EndedRun;
export type KnownRun = Exclude<Run, AbsentRun>;

export interface AbsentRun {
  readonly status: 'ABSENT';
}
export interface WaitingRun extends Requested {
  readonly status: 'PENDING' | 'QUEUED';
}
export interface ActiveRun extends Requested {
  readonly status: 'DISPATCHED' | 'RUNNING' | 'PAUSED';
  readonly work: Work;
}
export interface CancelingRun extends Requested {
  readonly status: 'CANCELED_REQUESTED';
  readonly cancel: { readonly requestedBy: string; readonly reason?: string | undefined };
  /** Absent when the run was canceled before it was dispatched. */
  readonly work?: Work | undefined;
}
export interface EndedRun extends Requested {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'CANCELED';
  readonly work?: Work | undefined;
}

interface Requested {
  readonly agent: string;
  readonly appId: string;
  /** Of the whole request: what a repeated one is compared with. */
  readonly requestPrint: string;
  readonly policy: string;
  /** 1 for the policy the run was requested with, one more for each switch. */
  readonly policyVersion: number;
  readonly wasQueued: boolean;
  readonly goalAchieved: boolean;
  /** Absent when it waits for none, or has it. */
  readonly awaitsImprovement?: RunId | undefined;
  readonly retryOnFailure?: RetryOnFailure | undefined;
  readonly retries: readonly RequestedRetry[];
  /** Its end concerns other runs, and this has been told or is still to be; absent when its end concerns none. */
  readonly followUp?: 'OWED' | 'TOLD' | undefined;
}

export interface RequestedRetry {
  readonly retryRunId?: RunId | undefined;
  readonly by: string;
  readonly note?: string | undefined;
}

/** What exists once a run has been dispatched. */
export interface Work {
  readonly agentVersion: string;
  readonly openTasks: PersistentMap<TaskKey, OpenTask>;
  readonly finishedTasks: PersistentMap<TaskKey, FinishedTask>;
  /** Every call ever requested, by toolUseId; the open ones are listed in their task as well. */
  readonly tools: PersistentMap<string, RequestedTool>;
  readonly openInputs: PersistentMap<RequestId, OpenInput>;
  readonly closedInputs: PersistentMap<RequestId, ClosedInput>;
  /** The highest iteration saved, or -1. */
  readonly checkpoint: number;
  /** The graph has come to its end, and the run is about to. */
  readonly graphEnded: boolean;
}

export type Task = OpenTask | FinishedTask;

export interface OpenTask extends ScheduledTask {
  readonly state: OpenTaskState;
  /** How many times it was started. The fence: only the attempt with this number may speak. */
  readonly attempt: number;
  /** How many attempts failed and asked for another; starts after a crash or a wait do not count. */
  readonly failures: number;
  /** How often its worker was gone while it ran: started again without having failed, retried or waited. */
  readonly deaths: number;
  /** It was scheduled by its start, not in a superstep of several: the worker that plays the graph runs it. */
  readonly isAlone: boolean;
  readonly openTools: readonly ToolCall[];
  readonly effects: PersistentMap<string, true>;
  readonly respondedCalls: PersistentMap<string, true>;
}
export type OpenTaskState =
  | { readonly name: 'SCHEDULED' }
  | { readonly name: 'STARTED' }
  | { readonly name: 'RETRYING'; readonly retryAt: string }
  | { readonly name: 'SUSPENDED'; readonly requestIds: readonly RequestId[] };

export interface FinishedTask extends ScheduledTask {
  readonly state: { readonly name: 'FINISHED'; readonly result: RunFactOf<'NodeFinished'>['result'] };
  readonly attempt: number;
}

interface ScheduledTask {
  readonly key: TaskKey;
  readonly node: string;
  readonly iteration: number;
  readonly inputHash: string;
  /** The how manieth of the run it is. */
  readonly order: number;
}

export interface RequestedTool {
  readonly tool: string;
  readonly taskKey: TaskKey;
}
/** An open call, with all it takes to answer it for a worker that is gone. */
export interface ToolCall {
  readonly toolUseId: string;
  readonly tool: string;
  readonly agentId: string;
}

export interface OpenInput {
  readonly requestId: RequestId;
  readonly taskKey: TaskKey;
  readonly type: InputRequestType;
  readonly requestPrint: string;
  readonly expiresAt?: string | undefined;
  readonly order: number;
}
export interface ClosedInput {
  readonly taskKey: TaskKey;
  readonly requestPrint: string;
  readonly outcome: 'ANSWERED' | 'EXPIRED';
}

export const absent: Run = { status: 'ABSENT' };

export const emptyWork = (agentVersion: string): Work => ({
  agentVersion,
  openTasks: PersistentMap.empty(),
  finishedTasks: PersistentMap.empty(),
  tools: PersistentMap.empty(),
  openInputs: PersistentMap.empty(),
  closedInputs: PersistentMap.empty(),
  checkpoint: -1,
  graphEnded: false,
});

export const statusOf = (run: Run): RunStatus | 'ABSENT' => run.status;
