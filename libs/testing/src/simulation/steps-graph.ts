import { type NodeContext, nodeContext } from '@millrace/agent-sdk';
import { type RunEvent, type RunEventOf, TaskKey } from '@millrace/contracts';
import {
  type GraphDriver,
  GraphRuntime,
  type GraphStart,
  type GraphState,
  type GraphTask,
  type NodeOutcome,
  type NodeRetryPolicy,
  type NodeRun,
  type RunningGraph,
} from '@millrace/ports';

export type StepBody = (context: NodeContext) => Promise<unknown>;

/** A graph that is a list of steps, each of one node or of several at once. */
export interface StepsPlan {
  readonly steps: readonly (readonly string[])[];
  readonly bodies: Readonly<Record<string, StepBody>>;
  readonly retry?: NodeRetryPolicy | undefined;
}

/** Enough of a graph runtime to see what is done with graphs: no library, and no choice that does not follow from the log. */
export class StepsRuntime extends GraphRuntime {
  constructor(private readonly planOf: (agent: string) => StepsPlan) {
    super();
  }

  start({ agent, history }: GraphStart, driver: GraphDriver): RunningGraph {
    return new RunningSteps(this.planOf(agent).steps, history, driver);
  }

  async runNode({ agent, task }: NodeRun): Promise<NodeOutcome> {
    try {
      return { kind: 'finished', output: await this.planOf(agent).bodies[task.node]!(nodeContext()) };
    } catch (error) {
      return { kind: 'failed', error };
    }
  }

  retryPolicyOf(agent: string): NodeRetryPolicy | undefined {
    return this.planOf(agent).retry;
  }
}

class RunningSteps implements RunningGraph {
  readonly #scheduled = new Set<string>();
  readonly #asked = new Set<string>();
  readonly #results = new Map<string, RunEventOf<'NodeFinished'>>();
  readonly #steps: readonly (readonly GraphTask[])[];
  #turn: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #isStopped = false;

  constructor(
    steps: StepsPlan['steps'],
    history: readonly RunEvent[],
    private readonly driver: GraphDriver,
  ) {
    this.#steps = steps.map((nodes, at) => nodes.map((node) => taskOf(node, at + 1)));
    for (const event of history) this.note(event);
    this.goOn();
  }

  apply(event: RunEvent): void {
    this.note(event);
    if (event.kind === 'NodeFinished') this.goOn();
  }

  openTasks(): GraphTask[] {
    return this.#steps.flat().filter(({ key }) => this.#asked.has(key) && !this.#results.has(key));
  }

  async settled(): Promise<GraphState> {
    for (let turn; turn !== this.#turn;) await (turn = this.#turn);
    if (this.#failure) throw this.#failure.error;
    const failed = this.failed;
    if (failed) return { kind: 'failed', errorCode: 'MAX_RETRIES_EXCEEDED', reason: failed.error?.message ?? '' };
    const tasks = this.#steps.flat();
    if (tasks.some(({ key }) => !this.#results.has(key))) return { kind: 'waiting' };
    return { kind: 'finished', output: { text: tasks.map(({ key }) => this.#results.get(key)?.output).join(' ') } };
  }

  stop(): void {
    this.#isStopped = true;
  }

  private get failed(): RunEventOf<'NodeFinished'> | undefined {
    return [...this.#results.values()].find(({ result }) => result === 'FAILURE');
  }

  private note(event: RunEvent): void {
    if (event.kind === 'NodeScheduled') for (const { key } of event.tasks) this.#scheduled.add(key);
    if (event.kind === 'NodeStarted' && event.scheduled) this.#scheduled.add(event.taskKey);
    if (event.kind === 'NodeFinished') this.#results.set(event.taskKey, event);
  }

  private goOn(): void {
    this.#turn = this.#turn.then(() => this.ask()).catch((error: unknown) => (this.#failure = { error }));
  }

  private async ask(): Promise<void> {
    const step = this.#steps.find((tasks) => tasks.some(({ key }) => !this.#results.has(key)));
    if (!step || this.failed || this.#isStopped) return;
    const fresh = step.filter(({ key }) => !this.#scheduled.has(key));
    if (fresh.length > 0) await this.driver.schedule(fresh);
    for (const task of step) {
      this.#asked.add(task.key);
      if (!this.#results.has(task.key) && !this.#isStopped) this.driver.offer(task);
    }
  }
}

const taskOf = (node: string, iteration: number): GraphTask => ({
  key: TaskKey.parse(`${iteration}/${node}`),
  node,
  iteration,
  inputHash: 'x',
  input: '{}',
});
