import type { RunEvent, RunEventOf, TaskKey } from '@millrace/contracts';
import type { GraphDriver, GraphTask } from '@millrace/ports';
import { Activity, turn } from './activity.js';
import { digest } from './digest.js';
import { asError, GraphNotDeterministic } from './graph-errors.js';
import { NodeFailed } from './node-error.js';
import { ResultQueue } from './result-queue.js';
import { levelOf } from './task-key.js';
import { TaskLedger } from './task-ledger.js';
import { encode, fromJson } from './value-codec.js';

export interface AskedTask {
  readonly key: TaskKey;
  readonly node: string;
  readonly input: unknown;
  readonly nodeError: GraphTask['nodeError'];
}

interface Ask {
  /** Undefined when the log had the result before the graph asked for it. */
  readonly task: GraphTask | undefined;
  isScheduled: boolean;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Why a run is no longer played here, other than that its graph has come to its end. */
export interface Halt {
  readonly kind: 'failed' | 'dropped' | 'stopped';
  readonly error: Error;
}

/** Without activity for this many turns of the event loop, a graph with open tasks waits for them. */
const QUIET_TURNS = 3;

/**
 * What a graph's nodes await their results from.
 *
 * I1  Results reach the graph in the order of the log, one at a time, live and in a replay alike. All that one of them
 *     leads to has been asked for before the next one arrives, so who was first stays first.
 * I2  What is asked for at once is scheduled at once. One schedule is in flight at a time.
 * I3  A task is offered only once it is scheduled, or will be by its start, and while the log has no result of it.
 * I4  After a halt nothing is scheduled, offered or delivered, whatever the graph does with the error.
 */
export class RunCoroutine {
  readonly #ledger: TaskLedger;
  readonly #activity = new Activity();
  readonly #abort = new AbortController();
  readonly #asks = new Map<TaskKey, Ask>();
  readonly #results = new ResultQueue();
  #batch: GraphTask[] = [];
  #computing = 0;
  #isScheduling = false;
  #isDelivering = false;
  #lastNode: string | undefined;
  #halt: Halt | undefined;
  #hasEnded = false;

  constructor(
    private readonly driver: GraphDriver,
    checkpointStep: number,
  ) {
    this.#ledger = new TaskLedger(checkpointStep);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get halt(): Halt | undefined {
    return this.#halt;
  }

  /** The node whose result came last. */
  get lastNode(): string | undefined {
    return this.#lastNode;
  }

  apply(event: RunEvent): void {
    if (event.kind === 'NodeScheduled') this.#ledger.schedule(event.tasks);
    else if (event.kind === 'NodeStarted' && event.scheduled)
      this.#ledger.schedule([scheduledBy(event, event.scheduled)]);
    else if (event.kind === 'NodeFinished' && this.#ledger.finish(event)) this.#results.push(event);
    else return;
    this.#activity.touch();
    this.deliverSoon();
  }

  /** The node's result, as soon as the log has it. Rejects when `signal` aborts: the step has failed without it. */
  ask(asked: AskedTask, signal: AbortSignal | undefined): Promise<unknown> {
    if (this.#halt) throw this.#halt.error; // I4
    const { task, isScheduled } = this.prepare(asked);
    return new Promise((resolve, reject) => {
      const letGo = () => {
        this.#asks.delete(asked.key);
        this.#activity.touch();
        reject(asError(signal?.reason));
      };
      if (signal?.aborted) return letGo();
      signal?.addEventListener('abort', letGo, { once: true });
      const over = () => signal?.removeEventListener('abort', letGo);
      this.#asks.set(asked.key, {
        task,
        isScheduled,
        resolve: (output) => (over(), resolve(output)),
        reject: (error) => (over(), reject(error)),
      });
      this.#activity.touch();
      if (!task) this.deliverSoon();
      else if (isScheduled) this.offer(task);
      else this.scheduleSoon(task);
    });
  }

  /** A node's result is being written and routed, which may take a router some time. */
  async compute(work: () => Promise<void>): Promise<void> {
    this.#computing += 1;
    try {
      await work();
    } finally {
      this.#computing -= 1;
      this.#activity.touch();
      this.deliverSoon();
    }
  }

  openTasks(): readonly GraphTask[] {
    return [...this.#asks.values()].flatMap(({ task, isScheduled }) =>
      task && isScheduled && !this.#results.has(task.key) ? [task] : [],
    );
  }

  /** Resolves when nothing is being computed: the graph has ended, or it waits for results. */
  async quiet(): Promise<void> {
    let seen = this.#activity.count;
    for (let turns = 0; turns < QUIET_TURNS && !this.#hasEnded && this.#halt?.kind !== 'stopped';) {
      if (this.isBusy()) await this.#activity.next();
      else await turn();
      turns = seen === this.#activity.count ? turns + 1 : 0;
      seen = this.#activity.count;
    }
  }

  /** The graph has come to its end. */
  end(): void {
    this.#hasEnded = true;
    this.#asks.clear();
    this.#results.clear();
    this.#activity.touch();
  }

  stop(): void {
    this.haltWith('stopped', new Error('The graph was stopped'));
  }

  /** Whoever drives the graph has no use for it any more. */
  drop(error: unknown): void {
    this.haltWith('dropped', error);
  }

  /** Ends the run, so that no error handler of the graph can swallow it. Gives the error back to be thrown. */
  fail(error: unknown): Error {
    return this.haltWith('failed', error);
  }

  assertAllAsked(): void {
    this.#ledger.assertAllAsked();
  }

  private prepare({ key, node, input, nodeError }: AskedTask): Pick<Ask, 'task' | 'isScheduled'> {
    try {
      const recorded = this.#ledger.ask(key, node);
      const answered = { task: undefined, isScheduled: true };
      if (recorded?.isFinished && !this.#ledger.isAtEnd(key)) return answered;
      const encoded = encode(withoutUndefined(input));
      const inputHash = digest(encoded);
      if (recorded && recorded.inputHash !== inputHash) {
        throw new GraphNotDeterministic(`The input of ${key} is not the one the log has`);
      }
      if (recorded?.isFinished) return answered;
      const iteration = levelOf(key).step;
      const task: GraphTask = { key, node, iteration, inputHash, input: encoded, nodeError };
      return { task, isScheduled: recorded !== undefined };
    } catch (error) {
      throw this.fail(error);
    }
  }

  private scheduleSoon(task: GraphTask): void {
    this.#batch.push(task);
    if (!this.#isScheduling) void this.schedule();
  }

  /** Never rejects: that the run has gone another way ends it here. */
  private async schedule(): Promise<void> {
    this.#isScheduling = true;
    try {
      while (this.#batch.length > 0) {
        await turn(); // I2: the other nodes of the step ask in the same one
        const tasks = this.#batch.splice(0).filter(({ key }) => this.#asks.has(key));
        if (tasks.length === 0) continue; // I4: a halt has let go of them all
        await this.driver.schedule(tasks);
        for (const task of tasks) this.scheduled(task);
      }
    } catch (error) {
      this.drop(error);
    } finally {
      this.#isScheduling = false;
      this.#activity.touch();
    }
  }

  private scheduled(task: GraphTask): void {
    const ask = this.#asks.get(task.key);
    if (!ask) return;
    ask.isScheduled = true;
    this.offer(task);
  }

  private offer(task: GraphTask): void {
    if (this.#halt || this.#results.has(task.key)) return; // I3, I4
    try {
      this.driver.offer(task);
    } catch (error) {
      this.drop(error);
    }
  }

  private deliverSoon(): void {
    if (this.#isDelivering || this.#results.isEmpty) return;
    this.#isDelivering = true;
    setImmediate(() => {
      this.#isDelivering = false;
      this.deliver();
    });
  }

  private deliver(): void {
    const isAsked = (key: TaskKey) => this.#asks.has(key);
    this.#results.skip((key) => this.#ledger.wasAsked(key) && !isAsked(key)); // its step had failed before it came
    if (this.#computing > 0) return; // I1: a router may be slow; when it is done we come back
    const result = this.#results.take(isAsked);
    const ask = result && this.#asks.get(result.taskKey);
    if (!ask) return; // the next ask wakes us
    this.#asks.delete(result.taskKey);
    this.#lastNode = result.node;
    this.answer(ask, result);
    this.#activity.touch();
    this.deliverSoon();
  }

  private answer(ask: Ask, { node, result, output, error }: RunEventOf<'NodeFinished'>): void {
    if (result === 'FAILURE') return ask.reject(new NodeFailed(node, error ?? { message: `${node} failed` }));
    try {
      ask.resolve(fromJson(output));
    } catch (cause) {
      ask.reject(this.fail(cause));
    }
  }

  /** While nothing is asked for, the graph must come up with something or end. */
  private isBusy(): boolean {
    if (this.#asks.size === 0 || this.#isScheduling || this.#computing > 0) return true;
    return this.#results.hasAny((key) => this.#asks.has(key));
  }

  private haltWith(kind: Halt['kind'], cause: unknown): Error {
    const error = asError(cause);
    if (this.#halt || this.#hasEnded) return this.#halt?.error ?? error;
    this.#halt = { kind, error };
    const asks = [...this.#asks.values()];
    this.#asks.clear();
    for (const { reject } of asks) reject(error);
    this.#abort.abort(error);
    this.#activity.touch();
    return error;
  }
}

const scheduledBy = (
  { taskKey: key, node, iteration }: RunEventOf<'NodeStarted'>,
  { inputHash }: { readonly inputHash: string },
) => ({ key, node, iteration, inputHash });

/** A field that was never set and one that was set to undefined are the same to a node, and to a checkpoint. */
const withoutUndefined = (input: unknown): unknown => {
  if (typeof input !== 'object' || input === null || Object.getPrototypeOf(input) !== Object.prototype) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
};
