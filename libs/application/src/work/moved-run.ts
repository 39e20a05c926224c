import { BlobRef, type RunEvent, type RunTask } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import {
  type BlobStore,
  BlobMissing,
  done,
  type GraphCheckpoint,
  type GraphDriver,
  type GraphState,
  type GraphTask,
  leave,
  type Outcome,
  retryAfter,
  type RunningGraph,
  type RunSignals,
  type TaskQueue,
} from '@millrace/ports';
import { openTasks, type OpenTask, RunRefused, taskOf, toolsUsed, unansweredOf, workOf } from '@millrace/run-domain';
import type { BodyEnd, BodyPorts, BodyRunner, NodeWork } from './body-runner.js';
import type { BranchSlots } from './branch-slots.js';
import type { RunHandle } from './run-handle.js';
import { RunTotals, sourcesOf, summaryOf } from './run-totals.js';

export interface MovePorts extends BodyPorts {
  /** Whether workers have other versions of the agent and none has this one. */
  readonly isVersionGone: (agent: string, version: string) => Promise<boolean>;
  readonly tasks: TaskQueue;
  readonly blobs: BlobStore;
  readonly signals: RunSignals;
}

/** What the queue knows of the message a run or a node came in. */
export interface TaskMessage {
  /** Whether it may have been given to another worker since. */
  readonly hasStalled: () => boolean;
  /** Whether other work waits for a free slot. */
  readonly othersWait: () => boolean;
}

/** After so long, or so many steps, a run gives its slot to others that wait. */
const TURN_MS = 1_000;
const TURN_STEPS = 200;
const YIELD_MS = 50;
const LONGEST_YIELD_MS = 1_000;
/** A branch that was offered is begun within milliseconds, unless every slot is taken. */
const GIVE_WAY_MS = 250;
/** A message that is about to be gone is in the way of the next one of its name for so long at most. */
const OFFER_AGAIN_MS = 50;

/**
 * One run in the hands of the worker that has its message: it plays the graph and runs the bodies.
 *
 * I1  Whatever it decides is appended by compare-and-swap and applied to the graph from the log, like what others append.
 *     A worker that has lost the run (it slept, its message was given on) is refused at its next append, and leaves the
 *     message to the one that has it.
 * I2  A step of one node is two appends: its start, which schedules it, and its end. A step of several is scheduled in one
 *     event first; what has no slot here is offered to other workers, and their results are heard from the log.
 * I3  The run is let go (the message acknowledged) only when nothing more can happen here without an event of another:
 *     the graph has ended, the run is to end or to stand, or all that is open waits for people. Each of these is judged on
 *     a history that ends with an append of ours or was read whole, so an answer that came before is never overlooked;
 *     one that comes after is seen by the orchestrator, which offers the run again.
 * I4  A run whose bodies are all with others, one of them not begun, gives its slot away for a moment: else runs that wait
 *     for their branches could hold every slot there is, and no branch would ever have one.
 */
export class MovedRun implements GraphDriver {
  readonly #totals = new RunTotals();
  readonly #bodies = new Map<string, Promise<void>>();
  /** Asked for by the graph, to be scheduled by their start. */
  readonly #unscheduled = new Set<string>();
  /** Of steps of several: scheduled here and never offered to others, so that no message of them is in the queue. */
  readonly #mine = new Set<string>();
  /** Offered to other workers, as the task stood then. */
  readonly #offered = new Map<string, string>();
  #graph: RunningGraph | undefined;
  #pending: Promise<unknown>[] = [];
  #failure: { readonly error: unknown } | undefined;
  #isSuperseded = false;
  #conflict: RunRefused | undefined;
  #isParked = false;
  /** What was appended while it was parked: the graph is told when the run is here again. */
  #missed: RunEvent[] = [];
  #turn: { readonly message: TaskMessage; readonly began: number } | undefined;
  /** Since when it only waits for branches, one of them not begun, and how often it has given its slot away for that. */
  #waitsSince: number | undefined;
  #waysGiven = 0;
  #steps = 0;
  #happened: () => void = () => {};
  #stopListening: () => void = () => {};
  #stopHearingBranches: Promise<() => void> | undefined;

  constructor(
    private readonly ports: MovePorts,
    private readonly bodies: BodyRunner,
    private readonly slots: BranchSlots,
    private readonly handle: RunHandle,
    private readonly about: Pick<RunTask, 'agent' | 'agentVersion'>,
  ) {}

  /** It has given its slot to others and can go on from here, in this process. */
  get isParked(): boolean {
    return this.#isParked;
  }

  /** Resolves with what becomes of the run's message. */
  async move(message: TaskMessage): Promise<Outcome> {
    this.#turn = { message, began: this.ports.clock.now().getTime() };
    this.#steps = 0;
    this.unpark();
    if (!this.mayMove()) await this.handle.refresh('now'); // I3
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      if (this.#isSuperseded || message.hasStalled()) return this.abandon();
      const happened = this.nextHappening();
      const verdict = await this.look();
      if (verdict !== 'goes on') return verdict;
      await happened;
    }
  }

  close(): void {
    this.dropGraph();
    void this.#stopHearingBranches?.then((stop) => stop()).catch(() => {}); // it never heard
  }

  // What the graph asks for.

  async schedule(tasks: readonly GraphTask[]): Promise<void> {
    const [first, ...more] = tasks;
    if (first && more.length === 0 && !taskOf(this.handle.run, first.key)) {
      this.#unscheduled.add(first.key); // I2: its start says so
      return;
    }
    const scheduled = tasks.map(({ key, node, iteration, inputHash }) => ({ key, node, iteration, inputHash }));
    await this.handle.writer.write({ kind: 'ScheduleNodes', ...this.handle.ref, tasks: scheduled });
    for (const { key } of tasks) if (taskOf(this.handle.run, key)?.state.name === 'SCHEDULED') this.#mine.add(key);
  }

  offer(task: GraphTask): void {
    if (this.#isParked || this.#bodies.has(task.key) || !this.isDue(task)) return;
    if (this.isAlone(task) && this.isTurnOver()) return; // the next look gives the slot away
    if (!this.isOurs(task)) return this.offerToOthers(task);
    if (this.isAlone(task) || this.#bodies.size === 0) return this.begin(task, () => {}); // the slot the run has anyway
    if (this.slots.tryTake()) return this.begin(task, () => this.slots.give());
    this.offerToOthers(task);
  }

  /** It only saves work later: one that could not be stored is done without. */
  checkpoint({ iteration, node, body }: GraphCheckpoint): void {
    const { ref, writer } = this.handle;
    const save = async () => {
      const bytes = new TextEncoder().encode(body);
      const resumeToken = JSON.stringify(await this.ports.blobs.put(ref.tenantId, bytes, 'application/json'));
      await writer.write({ kind: 'SaveCheckpoint', ...ref, iteration, node, resumeToken });
    };
    this.await(
      save().catch((error: unknown) => {
        if (!(error instanceof PlatformError)) throw error;
      }),
    );
  }

  /** One look at how things are: begins what is due. */
  private async look(): Promise<Outcome | 'goes on'> {
    if (!this.mayMove()) return this.#bodies.size > 0 ? 'goes on' : this.letGo();
    if (this.#bodies.size === 0 && this.isTurnOver()) return this.park();
    const graph = (this.#graph ??= await this.startGraph());
    for (const task of graph.openTasks()) this.offer(task);
    const state = await this.settled(graph);
    if (!state || !this.mayMove()) return this.look();
    return state.kind === 'waiting' ? this.waitOrLetGo() : this.endOrWait(state);
  }

  /** Undefined when what the graph asked for was refused: the run has gone another way, and the graph is dropped. */
  private async settled(graph: RunningGraph): Promise<GraphState | undefined> {
    try {
      return await graph.settled();
    } catch (error) {
      if (!(error instanceof RunRefused)) throw error;
      if (error.code === 'TASK_CONFLICT') return notDeterministic(error);
      this.dropGraph();
      if (!error.code.startsWith('RUN_')) this.#isSuperseded = true; // I1
      return undefined;
    }
  }

  private dropGraph(): void {
    this.#graph?.stop();
    this.#graph = undefined;
    this.#stopListening();
  }

  /** What the graph has begun to ask is still said; bodies wait until the run is here again. */
  private async park(): Promise<Outcome> {
    this.#isParked = true;
    if (this.#graph) await this.settled(this.#graph);
    await this.settlePending();
    // Only now: what the graph asked for last was scheduled while it settled.
    this.#mine.clear(); // another worker may move it meanwhile, and offer what was kept here
    this.#offered.clear(); // or a worker that saw the run paused may have dropped the message
    if (!this.#isSuperseded) return retryAfter(Math.min(YIELD_MS * 2 ** this.#waysGiven, LONGEST_YIELD_MS));
    this.#isParked = false;
    return this.abandon();
  }

  private unpark(): void {
    this.#isParked = false;
    const graph = this.#graph;
    if (graph) for (const event of this.#missed.splice(0)) this.hear(event, graph);
    this.#missed = [];
  }

  private mayMove(): boolean {
    const { run } = this.handle;
    return (run.status === 'DISPATCHED' || run.status === 'RUNNING') && !run.goalAchieved && !run.work.graphEnded;
  }

  /** Between two steps only: a body that works keeps its slot. */
  private isTurnOver(): boolean {
    if (this.#steps === 0 || !this.#turn) return false;
    const { message, began } = this.#turn;
    const isLong = this.#steps >= TURN_STEPS || this.ports.clock.now().getTime() - began >= TURN_MS;
    return isLong && message.othersWait();
  }

  /** I4 */
  private givesWay(open: readonly OpenTask[]): boolean {
    const isBegun = ({ key }: OpenTask) => this.#offered.get(key) !== this.standing(key);
    const waiting = open.filter((task) => this.isWithOthers(task) && !isBegun(task));
    if (this.#bodies.size > 0 || waiting.length === 0) {
      this.#waitsSince = undefined;
      this.#waysGiven = 0;
      return false;
    }
    const now = this.ports.clock.now().getTime();
    const leftMs = (this.#waitsSince ??= now) + GIVE_WAY_MS - now;
    if (leftMs > 0) this.wakeIn(leftMs);
    if (leftMs > 0) return false;
    this.#waysGiven += 1;
    return true;
  }

  private async waitOrLetGo(): Promise<Outcome | 'goes on'> {
    const { run } = this.handle;
    if (this.#conflict) return this.endOrWait(notDeterministic(this.#conflict));
    const open = openTasks(run);
    const areWithOthers = open.some((task) => this.isWithOthers(task));
    if (areWithOthers) this.hearBranches();
    if (this.#bodies.size > 0 || areWithOthers) {
      if (this.givesWay(open)) return this.park();
      this.wakeAtNextRetry();
      return 'goes on';
    }
    const nextRetry = this.nextRetryInMs();
    if (nextRetry !== undefined) return this.letGo(retryAfter(nextRetry));
    const isWaiting = open.length > 0 && open.every((task) => unansweredOf(run, task).length > 0);
    if (!isWaiting) this.wakeIn(OFFER_AGAIN_MS); // a message of the same name is about to be gone
    return isWaiting ? this.letGo() : 'goes on';
  }

  private async endOrWait(state: Exclude<GraphState, { kind: 'waiting' }>): Promise<Outcome | 'goes on'> {
    const { run, ref, writer } = this.handle;
    if (state.kind === 'finished' && openTasks(run).some(({ state: { name } }) => name === 'STARTED')) {
      this.hearBranches(); // a branch the graph gave up is still in hand: the run ends when it has let go
      return 'goes on';
    }
    await this.settlePending();
    const stepsCompleted = workOf(run)?.finishedTasks.size ?? 0;
    const { usage } = this.#totals;
    const used = { stepsCompleted, usage, toolsUsed: toolsUsed(run) };
    if (state.kind === 'failed') {
      const error = { reason: state.reason, errorCode: state.errorCode };
      const end = { summary: state.reason.slice(0, 500), sources: [], error, ...used };
      return this.end(() => writer.write({ kind: 'EndGraph', ...ref, result: 'FAILED', ...end }));
    }
    const { output } = state;
    const said = { summary: summaryOf(output, stepsCompleted), sources: sourcesOf(output), output };
    return this.end(() => writer.write({ kind: 'EndGraph', ...ref, result: 'SUCCEEDED', ...said, ...used }));
  }

  private async end(write: () => Promise<unknown>): Promise<Outcome | 'goes on'> {
    try {
      await write();
      return this.#bodies.size > 0 ? 'goes on' : this.letGo();
    } catch (error) {
      if (!(error instanceof RunRefused)) throw error;
      this.wakeIn(OFFER_AGAIN_MS); // paused, canceled or ended meanwhile: the next look sees it
      return 'goes on';
    }
  }

  private async startGraph(): Promise<RunningGraph> {
    let started: RunningGraph | undefined;
    const checkpoint = await this.lastCheckpoint();
    await this.handle.withHistory((history) => {
      const requested = history.find((event) => event.kind === 'RunRequested');
      const improved = history.find((event) => event.kind === 'ImprovementProvided');
      for (const event of history) this.#totals.evolve(event);
      const { agent, agentVersion } = this.about;
      const { input, seedState } = requested ?? {};
      const improvement = improved?.improvement;
      started = this.ports.graphs.start(
        { agent, agentVersion, input, seedState, improvement, history, checkpoint },
        this,
      );
      const graph = started;
      this.#stopListening = this.handle.listen((event) => this.hear(event, graph));
    });
    return started!;
  }

  private hear(event: RunEvent, graph: RunningGraph): void {
    if (this.#isParked) return void this.#missed.push(event);
    this.#totals.evolve(event);
    graph.apply(event);
    if (event.kind === 'NodeFinished') this.#steps += 1;
    if (event.kind === 'NodeStarted' && event.scheduled) this.#unscheduled.delete(event.taskKey);
    if (!('taskKey' in event) || !this.#bodies.has(event.taskKey)) this.#happened(); // else its end is told
  }

  /** A checkpoint only saves work: one whose body is gone is passed over. */
  private async lastCheckpoint(): Promise<GraphCheckpoint | undefined> {
    const saved = this.handle.lastCheckpoint;
    if (!saved) return undefined;
    try {
      const { tenantId } = this.handle.ref;
      const body = await this.ports.blobs.get(tenantId, BlobRef.parse(JSON.parse(saved.resumeToken)));
      return { iteration: saved.iteration, node: saved.node, body: new TextDecoder().decode(body) };
    } catch (error) {
      if (error instanceof BlobMissing) return undefined;
      throw error;
    }
  }

  // Bodies here.

  private begin(task: GraphTask, over: () => void): void {
    const schedules = this.#unscheduled.has(task.key);
    const running = this.bodies
      .run(this.handle, this.workOf(task), { schedules })
      .then(
        (end) => this.ended(task.key, end),
        (error: unknown) => void (this.#failure ??= { error }),
      )
      .finally(() => {
        over();
        this.#bodies.delete(task.key);
        this.#happened();
      });
    this.#bodies.set(task.key, running);
  }

  private ended(key: string, end: BodyEnd): void {
    if (end.kind !== 'stopped') return;
    const { why } = end;
    if (why instanceof RunRefused ? why.code.startsWith('RUN_') : why !== 'superseded') return;
    if (why instanceof RunRefused && why.code === 'TASK_CONFLICT') this.#conflict = why;
    else if (this.#mine.delete(key))
      this.#offered.set(key, 'STARTED elsewhere'); // a branch only: the run is still ours
    else this.#isSuperseded = true; // I1
  }

  private workOf(task: GraphTask): NodeWork {
    return { ...this.handle.ref, ...this.about, ...task };
  }

  // Branches elsewhere.

  /**
   * A step of one node is moved with the run. A node of a step of several may have a message of its own in the queue, or
   * in another worker's hands, unless it was scheduled here and never offered: only the queue can tell.
   */
  private isOurs(task: GraphTask): boolean {
    return this.isAlone(task) || this.#mine.has(task.key);
  }

  /** It is the whole step: of the step before a body may still be about to end. */
  private isAlone({ key }: GraphTask): boolean {
    const task = taskOf(this.handle.run, key);
    return !task || !('isAlone' in task) || task.isAlone;
  }

  private offerToOthers(task: GraphTask): void {
    const as = this.standing(task.key);
    if (this.#offered.get(task.key) === as) return;
    this.#offered.set(task.key, as);
    this.#mine.delete(task.key);
    const offered = { version: '1' as const, ...this.workOf(task), scheduledAt: this.handle.place };
    const again = () => {
      this.#offered.delete(task.key);
      this.wakeIn(OFFER_AGAIN_MS);
    };
    this.await(
      this.ports.tasks.offerNode(offered).then(
        (isOffered) => {
          // Only the message it waited with, which is about to be gone?
          if (!isOffered && as.startsWith('SUSPENDED')) again();
          else this.#happened();
        },
        (error: unknown) => {
          if (!passes(error)) throw error;
          again(); // bodies that work are not given up for it
        },
      ),
    );
  }

  private isWithOthers(task: OpenTask): boolean {
    if (this.#bodies.has(task.key) || unansweredOf(this.handle.run, task).length > 0) return false;
    return this.#offered.has(task.key);
  }

  private standing(key: GraphTask['key']): string {
    const task = taskOf(this.handle.run, key);
    return task ? `${task.state.name} ${task.attempt}` : 'unscheduled';
  }

  private hearBranches(): void {
    const { ref } = this.handle;
    if (this.#stopHearingBranches) return;
    const hearing = this.ports.signals.listen(
      ['NodeStarted', 'NodeFinished', 'NodeSuspended', 'NodeRetryScheduled'],
      ({ place }) => void this.handle.refresh(place).catch(() => {}), // the next look is told why
      ref,
    );
    this.#stopHearingBranches = hearing;
    hearing.then(
      () => this.handle.refresh('now').catch(() => {}), // what was said before it heard
      () => {
        this.#stopHearingBranches = undefined; // asked again
        this.wakeIn(OFFER_AGAIN_MS);
      },
    );
  }

  // When to look again.

  private isDue({ key }: GraphTask): boolean {
    const { run } = this.handle;
    const task = taskOf(run, key);
    if (!task) return this.#unscheduled.has(key);
    switch (task.state.name) {
      case 'SCHEDULED':
      case 'STARTED': // not by a body here: its worker is gone, or the queue says that another has it
        return true;
      case 'SUSPENDED':
        return 'openTools' in task && unansweredOf(run, task).length === 0;
      case 'RETRYING':
        return this.msUntil(task.state.retryAt) <= 0;
      case 'FINISHED':
        return false;
    }
  }

  private nextRetryInMs(): number | undefined {
    const waits = openTasks(this.handle.run).flatMap(({ key, state }) =>
      state.name === 'RETRYING' && !this.#offered.has(key) ? [Math.max(this.msUntil(state.retryAt), 1)] : [],
    );
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  private wakeAtNextRetry(): void {
    const inMs = this.nextRetryInMs();
    if (inMs !== undefined) this.wakeIn(inMs);
  }

  private wakeIn(ms: number): void {
    const happened = this.#happened;
    void this.ports.pause(ms).then(() => happened());
  }

  private msUntil(time: string): number {
    return new Date(time).getTime() - this.ports.clock.now().getTime();
  }

  /** Taken before the look, so that what happens during it is not missed. */
  private nextHappening(): Promise<void> {
    return new Promise((resolve) => (this.#happened = resolve));
  }

  // The end.

  private async letGo(outcome: Outcome = done): Promise<Outcome> {
    await this.settlePending();
    return outcome;
  }

  /** I1 */
  private async abandon(): Promise<Outcome> {
    await Promise.allSettled([...this.#bodies.values(), ...this.#pending]);
    return leave;
  }

  private await(work: Promise<unknown>): void {
    const failed = (error: unknown) => {
      this.#failure ??= { error };
      this.#happened();
    };
    this.#pending.push(work.catch(failed));
  }

  private async settlePending(): Promise<void> {
    while (this.#pending.length > 0) await Promise.all(this.#pending.splice(0));
    if (this.#failure) throw this.#failure.error;
  }
}

const passes = (error: unknown): boolean => error instanceof PlatformError && error.redelivery === 'retry';

const notDeterministic = ({ message: reason }: RunRefused): Extract<GraphState, { kind: 'failed' }> => ({
  kind: 'failed',
  errorCode: 'NON_DETERMINISTIC_GRAPH',
  reason,
});
