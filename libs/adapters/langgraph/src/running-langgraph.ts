import type { AgentDefinition } from '@millrace/agent-sdk';
import type { RunEvent, TaskKey } from '@millrace/contracts';
import type { GraphDriver, GraphStart, GraphState, GraphTask, RunningGraph } from '@millrace/ports';
import { CheckpointPace, type CheckpointRule } from './checkpoint-pace.js';
import type { CheckpointKeeper } from './checkpoint-saver.js';
import { finishedState, failedState } from './graph-end.js';
import { graphInputOf } from './graph-input.js';
import { type AnyPregel, outsideOfRunnables, RUN } from './langgraph-internals.js';
import { type AskedTask, RunCoroutine } from './run-coroutine.js';
import type { PlayedRun } from './stub-node.js';

export interface PlayedAgent {
  readonly definition: AgentDefinition;
  readonly recursionLimit: number;
  readonly checkpointRule: CheckpointRule;
  /** Throws GraphUnsupported. */
  shadow(): AnyPregel;
}

/** LangGraph's number for the state before any input. */
const BEFORE_INPUT = -2;

/** One run of a shadow graph: started from a history, answered by what is appended to it. */
export class RunningLangGraph implements RunningGraph, PlayedRun, CheckpointKeeper {
  readonly parents = new Map<string, TaskKey>();
  readonly savedBody: string | undefined;
  readonly #coroutine: RunCoroutine;
  readonly #pace: CheckpointPace;
  readonly #startStep: number;
  #end: GraphState | undefined;

  constructor(
    private readonly agent: PlayedAgent,
    private readonly start: GraphStart,
    private readonly driver: GraphDriver,
  ) {
    const { history, checkpoint } = start;
    this.savedBody = checkpoint?.body;
    this.#startStep = checkpoint?.iteration ?? BEFORE_INPUT;
    this.#pace = CheckpointPace.after(history, agent.checkpointRule, this.recursionLimit + BEFORE_INPUT - 1);
    this.#coroutine = new RunCoroutine(driver, this.#startStep);
    for (const event of history) this.#coroutine.apply(event);
    void outsideOfRunnables(() => this.play()).then((end) => {
      this.#end = end;
      this.#coroutine.end();
    });
  }

  get recursionLimit(): number {
    return this.agent.recursionLimit;
  }

  apply(event: RunEvent): void {
    if (!this.#end) this.#coroutine.apply(event);
  }

  async settled(): Promise<GraphState> {
    await this.#coroutine.quiet();
    const { halt } = this.#coroutine;
    if (halt?.kind === 'dropped') throw halt.error;
    if (halt?.kind === 'stopped') return { kind: 'waiting' };
    return this.#end ?? { kind: 'waiting' };
  }

  openTasks(): readonly GraphTask[] {
    return this.#coroutine.openTasks();
  }

  stop(): void {
    this.#coroutine.stop();
  }

  ask(asked: AskedTask, signal: AbortSignal | undefined): Promise<unknown> {
    return this.#coroutine.ask(asked, signal);
  }

  compute(work: () => Promise<void>): Promise<void> {
    return this.#coroutine.compute(work);
  }

  fail(error: unknown): Error {
    return this.#coroutine.fail(error);
  }

  isDue(step: number): boolean {
    return this.#pace.isDue(step);
  }

  keep(iteration: number, body: string): void {
    const node = this.#coroutine.lastNode;
    if (node === undefined) return;
    try {
      this.driver.checkpoint({ iteration, node, body });
    } catch (error) {
      this.#coroutine.drop(error);
    }
  }

  /** Never rejects: whatever goes wrong is how the graph ended. */
  private async play(): Promise<GraphState> {
    try {
      const { definition } = this.agent;
      const input = this.savedBody === undefined ? await graphInputOf(definition, this.start) : null;
      const state: unknown = await this.agent.shadow().invoke(input, {
        configurable: { thread_id: 'run', [RUN]: this },
        signal: this.#coroutine.signal,
        // LangGraph counts from where it starts; from a checkpoint fewer steps are left.
        recursionLimit: this.recursionLimit - (this.#startStep - BEFORE_INPUT),
      });
      this.#coroutine.assertAllAsked();
      return finishedState(definition, state);
    } catch (error) {
      return failedState(this.#coroutine.halt?.error ?? error, this.recursionLimit);
    }
  }
}
