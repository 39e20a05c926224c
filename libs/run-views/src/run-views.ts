import type { RunEvent, RunEventOf } from '@millrace/contracts';
import { checkpointOf, logOf, messageOf } from './event-rows.js';
import { evolveInputRequest, evolveToolCall, requestedInput, requestedTool } from './exchange.fold.js';
import type {
  CheckpointRow,
  DeadLetterRow,
  InputRequestRow,
  MessageRow,
  RunLogRow,
  RunRow,
  RunRows,
  StepRow,
  ToolCallRow,
  TrailRow,
} from './rows.js';
import { RowTable } from './row-table.js';
import { deadLetterOf, evolveRun, hasEnded, hasWork, requestedRun, seen, withTool } from './run.fold.js';
import { evolveStep, isFinished, scheduledSteps, type StepEvent, unscheduledStep } from './step.fold.js';
import { storable, storableText } from './storable.js';
import { trailOf } from './trail.js';

/** The run after its history; undefined for one nobody has requested. */
export const foldRun = (events: Iterable<RunEvent>): RunRow | undefined => foldRunRows(events).run;

export const foldRunRows = (events: Iterable<RunEvent>): RunRows => {
  const views = new RunViews();
  for (const event of events) views.take(event);
  return views.rows();
};

/**
 * The rows of one run, event by event. It can be begun anew at any event from the run's row and the rows that the
 * events to come name ({@link keysTouched}): nothing else is needed to go on. An event that was taken before, one that
 * does not fit, and a delta change nothing.
 */
export class RunViews {
  #run: RunRow | undefined;
  #runChanged = false;
  #deadLetter: DeadLetterRow | undefined;
  readonly #steps: RowTable<StepRow>;
  readonly #toolCalls: RowTable<ToolCallRow>;
  readonly #inputRequests: RowTable<InputRequestRow>;
  readonly #messages = new RowTable<MessageRow>(byPosition);
  readonly #logs = new RowTable<RunLogRow>(byPosition);
  readonly #trail = new RowTable<TrailRow>(byPosition);
  readonly #checkpoints = new RowTable<CheckpointRow>(byPosition);

  /** Who is not given internal events learns of a step when it is started. */
  readonly #seesAll: boolean;

  constructor(
    known: Partial<Pick<RunRows, 'run' | 'steps' | 'toolCalls' | 'inputRequests'>> = {},
    { seesAll = true }: { readonly seesAll?: boolean } = {},
  ) {
    this.#seesAll = seesAll;
    this.#run = known.run;
    this.#steps = new RowTable(({ taskKey }) => taskKey, known.steps);
    this.#toolCalls = new RowTable(({ toolUseId }) => toolUseId, known.toolCalls);
    this.#inputRequests = new RowTable(({ requestId }) => requestId, known.inputRequests);
  }

  get run(): RunRow | undefined {
    return this.#run;
  }

  take(event: RunEvent): void {
    if (event.kind === 'TokenDelta' || event.kind === 'ThoughtDelta') return;
    const before = this.#run;
    if (before === undefined) {
      if (event.kind !== 'RunRequested') return;
      const requested = requestedRun(event);
      this.#write(requested);
      this.#record(event, requested);
      return;
    }
    if (event.position <= before.lastPosition) return;
    const run = seen(before, event);
    if (event.kind === 'GoalAchieved') this.#write({ ...run, goalAchieved: true });
    else if (event.kind === 'RunRequested' || hasEnded(run)) this.#write(run);
    else {
      this.#write(evolveRun(run, event));
      if (event.kind === 'RunFailed') this.#deadLetter = storable(deadLetterOf(run, event));
      if (hasWork(run)) this.#work(event, run);
      this.#record(event, run);
    }
  }

  /** All that is known. */
  rows(): RunRows {
    return this.#collect((table) => table.all(), this.#run);
  }

  /** What is new or different since this was made. */
  changes(): RunRows {
    return this.#collect((table) => table.changed(), this.#runChanged ? this.#run : undefined);
  }

  #work(event: RunEvent, before: RunRow): void {
    switch (event.kind) {
      case 'NodeScheduled':
        for (const step of scheduledSteps(event, before)) this.#steps.add(step);
        return;
      case 'NodeStarted':
        if (event.scheduled || !this.#seesAll) this.#steps.add(unscheduledStep(event, before));
        if (this.#changeStep(event)) this.#change((run) => (run.status === 'DISPATCHED' ? running(run) : run));
        return;
      case 'NodeFinished':
        if (this.#changeStep(event)) this.#change((run) => ({ ...run, stepsCompleted: run.stepsCompleted + 1 }));
        return;
      case 'NodeRetryScheduled':
      case 'NodeSuspended':
        this.#changeStep(event);
        return;
      case 'ToolRequested':
        this.#requestTool(event, before);
        return;
      case 'ToolProgressed':
      case 'ToolFinished':
        this.#toolCalls.change(storableText(event.toolUseId), (call) => evolveToolCall(call, event));
        return;
      case 'InputRequested':
        this.#inputRequests.add(requestedInput(event, before));
        return;
      case 'InputProvided':
      case 'InputExpired':
        this.#inputRequests.change(event.requestId, (request) => evolveInputRequest(request, event));
        return;
      case 'AgentChanged':
      case 'CheckpointSaved':
      case 'EffectRecorded':
      case 'GoalAchieved':
      case 'GraphEdited':
      case 'GraphEnded':
      case 'FollowUpDue':
      case 'LogWritten':
      case 'MessageAdded':
      case 'ModelRequested':
      case 'ModelResponded':
      case 'PolicySwitched':
      case 'ProgressReported':
      case 'ImprovementProvided':
      case 'RetryRequested':
      case 'RunCanceled':
      case 'RunCancelRequested':
      case 'RunFailed':
      case 'RunFinished':
      case 'RunPaused':
      case 'RunQueued':
      case 'RunRequested':
      case 'RunResumed':
      case 'RunStarted':
      case 'SpecialistFinished':
      case 'SubagentFailed':
      case 'SubagentFinished':
      case 'SubagentProgressed':
      case 'ThoughtDelta':
      case 'TokenDelta':
      default: // a kind only a newer writer knows
        return;
    }
  }

  #requestTool(event: RunEventOf<'ToolRequested'>, before: RunRow): void {
    const step = this.#steps.get(storableText(event.taskKey));
    if (step === undefined || isFinished(step)) return;
    if (this.#toolCalls.add(requestedTool(event, before))) this.#change((run) => withTool(run, event.tool));
  }

  /** What stands for itself, whatever came before. */
  #record(event: RunEvent, run: RunRow): void {
    const message = messageOf(event, run);
    if (message) this.#messages.add(message);
    const line = trailOf(event, run);
    if (line) this.#trail.add(line);
    if (event.kind === 'LogWritten') this.#logs.add(logOf(event, run));
    if (event.kind === 'CheckpointSaved') this.#checkpoints.add(checkpointOf(event, run));
  }

  #changeStep(event: StepEvent): boolean {
    return this.#steps.change(storableText(event.taskKey), (step) => evolveStep(step, event));
  }

  #change(change: (run: RunRow) => RunRow): void {
    if (this.#run !== undefined) this.#write(change(this.#run));
  }

  #write(run: RunRow): void {
    this.#run = storable(run);
    this.#runChanged = true;
  }

  #collect(rowsOf: <Row extends object>(table: RowTable<Row>) => Row[], run: RunRow | undefined): RunRows {
    return {
      run,
      steps: rowsOf(this.#steps),
      messages: rowsOf(this.#messages),
      toolCalls: rowsOf(this.#toolCalls),
      inputRequests: rowsOf(this.#inputRequests),
      logs: rowsOf(this.#logs),
      trail: rowsOf(this.#trail),
      checkpoints: rowsOf(this.#checkpoints),
      deadLetter: this.#deadLetter,
    };
  }
}

const byPosition = ({ position }: { readonly position: number }): string => String(position);

const running = (run: RunRow): RunRow => ({ ...run, status: 'RUNNING' });
