import { type AgentDefinition, AgentRegistry } from '@millrace/agent-sdk';
import { aRunId, aTenantId, EventId, isPublic, type RunEvent, type RunFact, type TaskKey } from '@millrace/contracts';
import type {
  GraphCheckpoint,
  GraphDriver,
  GraphState,
  GraphTask,
  NodeOutcome,
  NodeRun,
  RunningGraph,
} from '@millrace/ports';
import type { BodyWay } from './body-way.js';
import type { CheckpointRule } from './checkpoint-pace.js';
import { LangGraphRuntime } from './langgraph-runtime.js';
import { packError } from './node-error.js';

export interface PlayOptions {
  readonly history?: readonly RunEvent[];
  readonly startFrom?: 'the beginning' | 'the last checkpoint';
  readonly checkpointRule?: CheckpointRule;
  readonly bodies?: BodyWay;
  /** Where a step of one node is scheduled: by its start, or in an event of its own as logs of before have it. */
  readonly schedules?: 'by its start' | 'first';
  /** Which of the offered tasks a worker takes first. */
  readonly takes?: 'oldest' | 'newest';
  readonly answer?: (question: unknown) => unknown;
}

const SPEAKER = { agentId: 'zoo', attempt: 1 };

/** One run: its log in an array, its orchestrator and its worker in this process. */
export class PlayedRun implements GraphDriver {
  readonly events: RunEvent[];
  /** The tasks whose bodies were run here, in order. */
  readonly executed: TaskKey[] = [];
  readonly tokens: string[] = [];
  readonly customs: unknown[] = [];
  readonly runtime: LangGraphRuntime;
  readonly graph: RunningGraph;
  readonly #offered = new Map<TaskKey, GraphTask>();
  readonly #finished = new Set<TaskKey>();
  readonly #unscheduled = new Set<TaskKey>();

  constructor(
    readonly definition: AgentDefinition,
    input: unknown,
    private readonly options: PlayOptions = {},
  ) {
    const { history = [], startFrom, checkpointRule, bodies } = options;
    this.runtime = new LangGraphRuntime(new AgentRegistry([definition]), checkpointRule, bodies);
    this.events = [...history];
    for (const event of history) if (event.kind === 'NodeFinished') this.#finished.add(event.taskKey);
    const { id: agent, version: agentVersion } = definition;
    const checkpoint = startFrom === 'the last checkpoint' ? lastCheckpoint(history) : undefined;
    this.graph = this.runtime.start({ agent, agentVersion, input, history, checkpoint }, this);
  }

  get keys(): TaskKey[] {
    return this.events.flatMap((event) => {
      if (event.kind === 'NodeScheduled') return event.tasks.map(({ key }) => key);
      return event.kind === 'NodeStarted' && event.scheduled ? [event.taskKey] : [];
    });
  }

  get offered(): readonly GraphTask[] {
    return [...this.#offered.values()];
  }

  async schedule(tasks: readonly GraphTask[]): Promise<void> {
    await Promise.resolve(); // the store
    const [first, ...more] = tasks;
    if (this.options.schedules === 'by its start' && first && more.length === 0) {
      this.#unscheduled.add(first.key);
      return;
    }
    this.append({
      kind: 'NodeScheduled',
      tasks: tasks.map(({ key, node, iteration, inputHash }) => ({ key, node, iteration, inputHash })),
    });
  }

  offer(task: GraphTask): void {
    if (!this.#finished.has(task.key)) this.#offered.set(task.key, task);
  }

  checkpoint({ iteration, node, body }: GraphCheckpoint): void {
    this.append({ kind: 'CheckpointSaved', iteration, node, resumeToken: body });
  }

  /** Runs nodes until the graph has ended. */
  async toEnd(): Promise<GraphState> {
    for (;;) {
      const state = await this.graph.settled();
      if (state.kind !== 'waiting') return state;
      const task = this.options.takes === 'newest' ? this.offered.at(-1) : this.offered[0];
      if (!task) throw new Error('The graph waits, and no task was offered');
      await this.work(task);
    }
  }

  /** Runs one node as a worker does, and appends what became of it. */
  async work(task: GraphTask, run: Partial<NodeRun> = {}): Promise<NodeOutcome> {
    this.#offered.delete(task.key);
    this.executed.push(task.key);
    this.start(task);
    const outcome = await this.runtime.runNode({
      agent: this.definition.id,
      agentVersion: this.definition.version,
      task,
      signal: new AbortController().signal,
      resume: resumeOf(task.key, this.events),
      onToken: (text) => this.tokens.push(text),
      onCustom: (chunk) => this.customs.push(chunk),
      ...run,
    });
    this.record(task, outcome);
    return outcome;
  }

  append(fact: RunFact): RunEvent {
    const position = this.events.length;
    const stamp = {
      eventId: EventId.parse(`01JD${String(position).padStart(22, '0')}`),
      ...{ tenantId: aTenantId, runId: aRunId, position, ts: '2026-01-12T10:00:00.000Z', version: '1' },
      ...(isPublic(fact) ? { sequence: position } : {}),
    };
    const event = JSON.parse(JSON.stringify({ ...stamp, ...fact })) as RunEvent;
    this.events.push(event);
    if (event.kind === 'NodeFinished') this.#finished.add(event.taskKey);
    this.graph.apply(event);
    return event;
  }

  private start({ key: taskKey, node, iteration, inputHash }: GraphTask): void {
    if (!this.#unscheduled.delete(taskKey)) return;
    this.append({ kind: 'NodeStarted', ...SPEAKER, node, taskKey, iteration, scheduled: { inputHash } });
  }

  private record(task: GraphTask, outcome: NodeOutcome): void {
    const { key: taskKey, node, iteration } = task;
    const speaker = { ...SPEAKER, node, taskKey, iteration };
    switch (outcome.kind) {
      case 'finished':
        this.append({ kind: 'NodeFinished', ...speaker, result: 'SUCCESS', durationMs: 1, output: outcome.output });
        return;
      case 'failed': {
        const error = packError(outcome.error);
        this.append({ kind: 'NodeFinished', ...speaker, result: 'FAILURE', durationMs: 1, error });
        return;
      }
      case 'interrupted': {
        const { answer = () => undefined } = this.options;
        const answers = Object.fromEntries(outcome.requests.map(({ id, value }) => [id, answer(value)]));
        this.append({ kind: 'EffectRecorded', ...speaker, key: WAIT, value: { state: outcome.state, answers } });
        this.offer(task);
      }
    }
  }
}

const WAIT = 'wait';

const resumeOf = (key: TaskKey, events: readonly RunEvent[]): NodeRun['resume'] => {
  const kept = events.findLast((event) => event.kind === 'EffectRecorded' && event.taskKey === key);
  return kept?.kind === 'EffectRecorded' ? (kept.value as NodeRun['resume']) : undefined;
};

const lastCheckpoint = (history: readonly RunEvent[]): GraphCheckpoint | undefined => {
  const saved = history.findLast((event) => event.kind === 'CheckpointSaved');
  return saved && { iteration: saved.iteration, node: saved.node, body: saved.resumeToken };
};
