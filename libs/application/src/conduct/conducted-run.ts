import { BlobRef, type ReadyTask, type RunEvent, type RunRef } from '@millrace/contracts';
import {
  type AtLeast,
  type BlobStore,
  BlobMissing,
  type GraphCheckpoint,
  type GraphDriver,
  type GraphRuntime,
  type GraphTask,
  type RunningGraph,
  type TaskQueue,
  type Timers,
} from '@millrace/ports';
import { PlatformError } from '@millrace/kernel';
import {
  openInputs,
  openTasks,
  type Run,
  type RunCommand,
  taskOf,
  toolsUsed,
  unansweredOf,
} from '@millrace/run-domain';
import { RunSession, type SessionPorts } from '../run-session.js';
import { RunTotals, sourcesOf, summaryOf } from './run-totals.js';

export interface ConductPorts extends SessionPorts {
  readonly graphs: GraphRuntime;
  readonly tasks: TaskQueue;
  readonly timers: Timers;
  readonly blobs: BlobStore;
}

/** What becomes of the memory a run takes: kept while it moves, let go while it waits for somebody or has ended. */
export type Residence = 'keep' | 'drop';

/**
 * One run in the hands of an orchestrator: its graph's control flow, answered by its log.
 *
 * I1  Whatever it decides is appended by compare-and-swap and applied to the graph from the log, like what others
 *     append. Another orchestrator with the same run in hand is no danger, only a waste.
 * I2  advance() resolves when every consequence of what the log holds is in the log and in the queue. The message
 *     that called for it is acknowledged after that, so that a crash is followed by another advance().
 * I3  For one caller at a time.
 * I4  What it decides to leave alone (a run that waits, is not started yet, or has ended) is compared with nothing, so
 *     it reads at least as far as the event it was told of.
 */
export class ConductedRun implements GraphDriver {
  readonly #totals = new RunTotals();
  readonly #offered = new Set<string>();
  readonly #session: RunSession;
  #graph: RunningGraph | undefined;
  /** Everything so far, until the graph has been started with it. */
  #history: RunEvent[] = [];
  #pending: Promise<unknown>[] = [];
  #turn: Promise<void> = Promise.resolve();
  /** Workers let go of tasks while the run was paused: after a resume they are offered under another name. */
  #epoch = 0;
  /** Where the run was found without a message: what was offered up to there is offered again. */
  #lost: number | undefined;

  constructor(
    private readonly ports: ConductPorts,
    private readonly ref: RunRef,
  ) {
    this.#session = RunSession.unread(ports, ref, (event) => this.hear(event)); // advance() reads it
  }

  /** `isLost`: no message of the run is left in the queue. */
  async advance(atLeast: AtLeast, isLost = false): Promise<Residence> {
    await this.#session.catchUp(atLeast); // I4
    if (isLost) this.#lost = this.#session.tail.position;
    const residence = await this.move();
    await this.settlePending(); // I2
    return residence;
  }

  close(): void {
    this.#graph?.stop();
    this.#graph = undefined;
  }

  async schedule(tasks: readonly GraphTask[]): Promise<void> {
    const scheduled = tasks.map(({ key, node, iteration, inputHash }) => ({ key, node, iteration, inputHash }));
    await this.execute({ kind: 'ScheduleNodes', ...this.ref, tasks: scheduled });
  }

  offer(task: GraphTask): void {
    const { run } = this.#session;
    const isLost = this.#lost === this.#session.tail.position;
    if (!isDue(run, task, isLost) || run.status === 'ABSENT') return;
    const epoch = isLost ? `${this.#epoch}+${this.#lost}` : this.#epoch;
    const offerId = `${this.ref.runId}/${task.key}/${taskOf(run, task.key)?.attempt ?? 0}/${epoch}`;
    if (this.#offered.has(offerId)) return;
    this.#offered.add(offerId);
    const { agent, agentVersion } = this.started();
    const { key, node, iteration, inputHash, input, nodeError } = task;
    const offered: ReadyTask = {
      ...{ version: '1', ...this.ref, agent, agentVersion, key, node, iteration, inputHash, input },
      scheduledAt: this.#session.tail.streamSequence,
      ...(isLost ? { isOnlyMessage: true } : {}),
      ...(nodeError === undefined ? {} : { nodeError }),
    };
    this.await(this.ports.tasks.offer(offered, offerId));
  }

  /** It only saves work later: one that could not be stored is done without. */
  checkpoint({ iteration, node, body }: GraphCheckpoint): void {
    const save = async () => {
      const ref = await this.ports.blobs.put(this.ref.tenantId, new TextEncoder().encode(body), 'application/json');
      const resumeToken = JSON.stringify(ref);
      await this.execute({ kind: 'SaveCheckpoint', ...this.ref, iteration, node, resumeToken });
    };
    this.await(
      save().catch((error: unknown) => {
        if (!(error instanceof PlatformError)) throw error;
      }),
    );
  }

  private async move(): Promise<Residence> {
    const { run } = this.#session;
    switch (run.status) {
      case 'ABSENT':
        return 'drop';
      case 'PENDING':
      case 'QUEUED':
        return run.goalAchieved ? this.achieve() : 'drop'; // the dispatcher's
      case 'CANCELED_REQUESTED':
        await this.execute({ kind: 'ConfirmCancel', ...this.ref });
        return 'drop';
      case 'SUCCEEDED':
      case 'FAILED':
      case 'CANCELED':
        return 'drop';
      case 'DISPATCHED':
      case 'RUNNING':
      case 'PAUSED':
        if (run.goalAchieved) return this.achieve();
        return run.status === 'PAUSED' ? 'drop' : this.conduct();
    }
  }

  private async conduct(): Promise<Residence> {
    await this.expireInputs();
    this.#graph ??= await this.startGraph();
    for (const task of this.#graph.openTasks()) this.offer(task);
    const state = await this.#graph.settled();
    switch (state.kind) {
      case 'finished':
        // A branch the graph gave up may still be in hand: the run ends when it has let go.
        return openTasks(this.#session.run).length > 0 ? 'keep' : this.finish(state.output);
      case 'failed':
        await this.execute({ kind: 'FailRun', ...this.ref, reason: state.reason, errorCode: state.errorCode });
        return 'drop';
      case 'waiting':
        return openTasks(this.#session.run).every(({ state: { name } }) => name === 'SUSPENDED') ? 'drop' : 'keep';
    }
  }

  private async startGraph(): Promise<RunningGraph> {
    const history = this.#history;
    this.#history = [];
    const requested = history.find((event) => event.kind === 'RunRequested');
    const improved = history.find((event) => event.kind === 'ImprovementProvided');
    const { agent, agentVersion } = this.started();
    return this.ports.graphs.start(
      {
        agent,
        agentVersion,
        input: requested?.input,
        seedState: requested?.seedState,
        improvement: improved?.improvement,
        history,
        checkpoint: await this.lastCheckpoint(history),
      },
      this,
    );
  }

  /** A checkpoint only saves work: one whose body is gone is passed over. */
  private async lastCheckpoint(history: readonly RunEvent[]): Promise<GraphCheckpoint | undefined> {
    const saved = history.findLast((event) => event.kind === 'CheckpointSaved');
    if (!saved) return undefined;
    try {
      const body = await this.ports.blobs.get(this.ref.tenantId, BlobRef.parse(JSON.parse(saved.resumeToken)));
      return { iteration: saved.iteration, node: saved.node, body: new TextDecoder().decode(body) };
    } catch (error) {
      if (error instanceof BlobMissing) return undefined;
      throw error;
    }
  }

  private async expireInputs(): Promise<void> {
    const now = this.ports.clock.now();
    for (const { requestId, expiresAt } of openInputs(this.#session.run)) {
      if (expiresAt === undefined || new Date(expiresAt) > now) continue;
      await this.execute({ kind: 'ExpireInput', ...this.ref, requestId });
    }
  }

  private achieve(): Promise<Residence> {
    return this.finish({ text: 'The goal was declared achieved.' });
  }

  private async finish(output: unknown): Promise<Residence> {
    const { run } = this.#session;
    const stepsCompleted = 'work' in run ? (run.work?.finishedTasks.size ?? 0) : 0;
    await this.execute({
      kind: 'FinishRun',
      ...this.ref,
      summary: summaryOf(output, stepsCompleted),
      stepsCompleted,
      output,
      sources: sourcesOf(output),
      usage: this.#totals.usage,
      toolsUsed: toolsUsed(run),
    });
    return 'drop';
  }

  /** In turns: levels of nested graphs schedule at the same time, and a session serves one at a time. */
  private async execute(command: RunCommand): Promise<void> {
    const turn = this.#turn.then(() => this.#session.execute(command));
    this.#turn = turn.then(
      () => {},
      () => {}, // its caller is told
    );
    await turn;
  }

  private hear(event: RunEvent): void {
    this.#totals.take(event);
    if (event.kind === 'RunResumed') this.#epoch = event.position;
    if (event.kind === 'InputRequested' && event.expiresAt !== undefined) {
      this.await(this.ports.timers.set(this.ref, event.requestId, new Date(event.expiresAt)));
    }
    if (this.#graph) this.#graph.apply(event);
    else this.#history.push(event);
  }

  private started(): { agent: string; agentVersion: string } {
    const { run } = this.#session;
    if (run.status === 'ABSENT' || !('work' in run) || run.work === undefined) {
      throw new TypeError(`Run ${this.ref.runId} has not been dispatched`);
    }
    return { agent: run.agent, agentVersion: run.work.agentVersion };
  }

  /** To be done before advance() resolves. A rejection is seen there, or with whatever failed before it. */
  private await(work: Promise<unknown>): void {
    work.catch(() => {});
    this.#pending.push(work);
  }

  private async settlePending(): Promise<void> {
    while (this.#pending.length > 0) await Promise.all(this.#pending.splice(0));
  }
}

/** A task some worker should take: not one that is held, waits for a person, or comes back to the queue by itself. */
const isDue = (run: Run, { key }: GraphTask, isLost: boolean): boolean => {
  const task = taskOf(run, key);
  switch (task?.state.name) {
    case 'SCHEDULED':
      return true;
    case 'SUSPENDED':
      return 'openTools' in task && unansweredOf(run, task).length === 0;
    case 'STARTED': // its worker has the message and a heartbeat
    case 'RETRYING': // its message comes back when its time has come
      return isLost;
    case 'FINISHED':
    case undefined:
      return false;
  }
};
