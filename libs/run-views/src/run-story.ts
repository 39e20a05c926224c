import type { RunEvent, RunId, RunStatus, TenantId } from '@millrace/contracts';
import type {
  EventKey,
  InProject,
  InputRequestRow,
  MessageRow,
  RunLogRow,
  RunRow,
  RunRows,
  StepRow,
  StepStatus,
  ToolCallRow,
  TrailRow,
} from './rows.js';
import { RunViews } from './run-views.js';

/** What somebody who follows a run cannot tell apart: whether it waits for a slot, whether a step waits for an answer. */
export type StoryStatus = Exclude<RunStatus, 'QUEUED'>;
export type StoryStep = Omit<StepRow, 'status' | 'position' | 'place' | 'projectId'> & {
  readonly status: Exclude<StepStatus, 'SCHEDULED' | 'WAITING'>;
};

/** Which project a run is in is not said in public. */
type Shown<Row extends InProject> = Omit<Row, 'projectId'>;

type Told = Pick<
  RunRow,
  | 'runId'
  | 'policyVersion'
  | 'agentVersion'
  | 'startedAt'
  | 'finishedAt'
  | 'stepsCompleted'
  | 'progress'
  | 'usage'
  | 'toolsUsed'
  | 'output'
  | 'summary'
  | 'sources'
  | 'error'
  | 'cancel'
  | 'lastSequence'
>;

/**
 * What a page shows of a run. The same whether it is folded from the stream as it comes ({@link LiveStory}) or made of
 * the rows that are stored ({@link storyOf}): it holds nothing that is not in public events, and nothing of deltas,
 * which are drafts of what an event tells whole.
 */
export interface RunStory extends Told {
  readonly status: StoryStatus;
  /** `null` until the run has started, like `appId` and `policy`. */
  readonly agent: string | null;
  readonly appId: string | null;
  readonly policy: string | null;
  /** Those that were started, by iteration and key. */
  readonly steps: readonly StoryStep[];
  readonly messages: readonly Shown<MessageRow>[];
  readonly toolCalls: readonly Shown<ToolCallRow>[];
  readonly inputRequests: readonly Shown<InputRequestRow>[];
  readonly logs: readonly Shown<RunLogRow>[];
  readonly trail: readonly Shown<TrailRow>[];
}

/** Of rows that are stored; undefined for a run nobody has requested. */
export const storyOf = (rows: RunRows): RunStory | undefined =>
  rows.run === undefined ? undefined : toldOf(rows.run, rows);

/** Of a run that is followed, public event by public event. What came before, and deltas, change nothing. */
export class LiveStory {
  readonly #views: RunViews;
  readonly #unseen: RunRow;

  constructor(run: { readonly tenantId: TenantId; readonly runId: RunId }) {
    this.#unseen = unseenRun(run);
    this.#views = new RunViews({ run: this.#unseen }, { seesAll: false });
  }

  take(event: RunEvent): void {
    this.#views.take(event);
  }

  story(): RunStory {
    return toldOf(this.#views.run ?? this.#unseen, this.#views.rows());
  }
}

const toldOf = (run: RunRow, rows: RunRows): RunStory => {
  const hasStarted = run.startedAt !== null;
  return {
    runId: run.runId,
    status: run.status === 'QUEUED' ? 'PENDING' : run.status,
    agent: hasStarted ? run.agent : null,
    agentVersion: run.agentVersion,
    appId: hasStarted ? run.appId : null,
    policy: hasStarted ? run.policy : null,
    policyVersion: run.policyVersion,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    stepsCompleted: run.stepsCompleted,
    progress: run.progress,
    usage: run.usage,
    toolsUsed: run.toolsUsed,
    output: run.output,
    summary: run.summary,
    sources: run.sources,
    error: run.error,
    cancel: run.cancel,
    lastSequence: run.lastSequence,
    steps: rows.steps.flatMap(shownStep).sort(byIteration),
    messages: shown(rows.messages),
    toolCalls: shown(rows.toolCalls),
    inputRequests: shown(rows.inputRequests),
    logs: shown(rows.logs),
    trail: shown(rows.trail),
  };
};

const shown = <Row extends EventKey>(rows: readonly Row[]): Shown<Row>[] =>
  rows.filter(({ sequence }) => sequence !== null).map(({ projectId: _, ...row }) => row);

const shownStep = ({
  position: _position,
  place: _place,
  projectId: _projectId,
  status,
  ...step
}: StepRow): StoryStep[] => {
  if (status === 'SCHEDULED') return [];
  return [{ ...step, status: status === 'WAITING' ? 'RUNNING' : status }];
};

const byIteration = (left: StoryStep, right: StoryStep): number =>
  left.iteration - right.iteration || (left.taskKey < right.taskKey ? -1 : 1);

/** Before its first public event: all that is known is that somebody follows it. */
const unseenRun = ({ tenantId, runId }: { readonly tenantId: TenantId; readonly runId: RunId }): RunRow => ({
  tenantId,
  runId,
  status: 'PENDING',
  ...{ agent: '', agentVersion: null, appId: '', policy: '', policyVersion: 1, userId: '' },
  ...{ projectId: null, threadId: null, retryOf: null, improvedBy: null, improves: null, retryOnFailure: null },
  inputSummary: '',
  ...{ output: null, summary: null, sources: [], error: null, cancel: null },
  ...{ stepsCompleted: 0, progress: 0, usage: { inputTokens: 0, outputTokens: 0 }, toolsUsed: [], goalAchieved: false },
  ...{ createdAt: '', startedAt: null, finishedAt: null, lastPosition: -1, lastSequence: null },
});
