import type { RunEventOf, TaskKey } from '@millrace/contracts';
import { GraphNotDeterministic } from './graph-errors.js';
import { levelOf, rootStepOf } from './task-key.js';

interface RecordedTask {
  readonly node: string;
  readonly inputHash: string;
  isFinished: boolean;
}

/** What the log says of a run's tasks, and whether the graph still asks for the same. */
export class TaskLedger {
  readonly #tasks = new Map<TaskKey, RecordedTask>();
  /** The last step the log has of each level. */
  readonly #lastSteps = new Map<string, number>();
  readonly #asked = new Set<TaskKey>();
  /** What a replay has yet to ask for. */
  readonly #unasked = new Set<TaskKey>();

  /** Tasks of the supersteps up to `checkpointStep` are not asked for again. */
  constructor(private readonly checkpointStep: number) {}

  schedule(tasks: RunEventOf<'NodeScheduled'>['tasks']): void {
    for (const { key, node, inputHash } of tasks) {
      if (this.#tasks.has(key)) continue;
      const { group, step } = levelOf(key);
      this.#lastSteps.set(group, Math.max(step, this.#lastSteps.get(group) ?? -1));
      this.#tasks.set(key, { node, inputHash, isFinished: false });
      if (!this.#asked.has(key) && !this.liesBehind(key)) this.#unasked.add(key);
    }
  }

  /** True for the result that counts: the first one, of a task that is still to be asked for or waited for. */
  finish({ taskKey }: RunEventOf<'NodeFinished'>): boolean {
    const task = this.#tasks.get(taskKey);
    if (!task || task.isFinished) return false;
    task.isFinished = true;
    return !this.liesBehind(taskKey);
  }

  /** Whether the task is in the log: then it is the same one; else it comes after all the log has. */
  ask(key: TaskKey, node: string): RecordedTask | undefined {
    const { group, step } = levelOf(key);
    const recorded = this.#tasks.get(key);
    const differs = recorded ? recorded.node !== node : step <= (this.#lastSteps.get(group) ?? -1);
    if (differs) throw new GraphNotDeterministic(`The graph asks for ${key}, the log has ${this.atStep(group, step)}`);
    if (!recorded) this.assertNonePassed(key, group, step);
    this.#asked.add(key);
    this.#unasked.delete(key);
    return recorded;
  }

  /** Inputs are compared where the log ends: earlier differences show there, and hashing each would cost the most. */
  isAtEnd(key: TaskKey): boolean {
    const { group, step } = levelOf(key);
    return step === this.#lastSteps.get(group);
  }

  wasAsked(key: TaskKey): boolean {
    return this.#asked.has(key);
  }

  assertAllAsked(): void {
    const [key] = this.#unasked;
    if (key !== undefined) throw new GraphNotDeterministic(`The graph has ended, the log has ${key}`);
  }

  /** A step is over when the next one begins, the graphs inside it included. */
  private assertNonePassed(asked: TaskKey, group: string, step: number): void {
    for (const key of this.#unasked) {
      if (!key.startsWith(group) || Number.parseInt(key.slice(group.length), 10) >= step) continue;
      throw new GraphNotDeterministic(`The graph asks for ${asked}, the log has ${key}`);
    }
  }

  private liesBehind(key: TaskKey): boolean {
    return rootStepOf(key) <= this.checkpointStep;
  }

  private atStep(group: string, step: number): string {
    const there = [...this.#tasks.keys()].filter((key) => {
      const level = levelOf(key);
      return level.group === group && level.step === step;
    });
    return there.join(', ') || 'nothing at this step';
  }
}
