import type { StorePlace } from '@millrace/ports';
import type { LeftToLog } from './left-requests.js';
import { type SavedLine, WaitingLine, type WaitingRun } from './waiting-line.js';

export interface SavedAgentLine extends SavedLine {
  readonly agent: string;
}

export interface WantedOfAgent {
  readonly agent: string;
  readonly left: LeftToLog;
}

/**
 * The runs of one tenant that wait, in a line for each agent: runs of an agent whose workers are away stay in theirs, and
 * the others pass them.
 *
 * I1  Of the agents that are served, the run that was asked for first is next. When that one is left to the log, none is
 *     next until it was read from there.
 */
export class WaitingLines {
  readonly #lines = new Map<string, WaitingLine>();

  constructor(saved: readonly SavedAgentLine[] = []) {
    for (const { agent, ...line } of saved) this.#lines.set(agent, WaitingLine.from(line));
  }

  /** I1 */
  first(isServed: (agent: string) => boolean): WaitingRun | undefined {
    let first: WaitingRun | undefined;
    let firstPlace = Infinity;
    for (const [agent, line] of this.#lines) {
      if (line.from >= firstPlace || !isServed(agent)) continue;
      [first, firstPlace] = [line.first, line.from];
    }
    return first;
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  get size(): number {
    return this.#lines.size;
  }

  /** The places of what each line leaves to the log take at most so many bytes. */
  save(mostBytesEach: number): readonly SavedAgentLine[] {
    return [...this.#lines].map(([agent, line]) => ({ agent, ...line.save(mostBytesEach) }));
  }

  /** What is to be read from the log now. */
  wanted(isServed: (agent: string) => boolean): WantedOfAgent[] {
    return [...this.#lines].flatMap(([agent, { wanted }]) =>
      wanted && isServed(agent) ? [{ agent, left: wanted }] : [],
    );
  }

  *unqueued(): Generator<WaitingRun> {
    for (const line of this.#lines.values()) yield* line.unqueued();
  }

  join(run: WaitingRun): void {
    this.lineOf(run).join(run);
  }

  /** Behind those at the front of its line, before all others in it. */
  joinFront(run: WaitingRun): void {
    this.lineOf(run).joinFront(run);
  }

  /** Before all others in its line: it had its turn. */
  rejoin(run: WaitingRun): void {
    this.lineOf(run).rejoin(run);
  }

  leave(runId: string): void {
    this.eachLine((line) => line.leave(runId));
  }

  queued(runId: string): void {
    this.eachLine((line) => line.queued(runId));
  }

  /** `runs` are those of the agent that still wait of what is left to the log, read up to the place `through`. */
  refill(agent: string, through: StorePlace, runs: readonly WaitingRun[]): void {
    this.#lines.get(agent)?.refill(through, runs);
    this.eachLine(() => {});
  }

  /** The places of requests the agent's line left to the log, all there are up to `through`. */
  locate(agent: string, places: readonly StorePlace[], through: StorePlace): void {
    this.#lines.get(agent)?.locate(places, through);
    this.eachLine(() => {});
  }

  private lineOf({ agent }: WaitingRun): WaitingLine {
    const line = this.#lines.get(agent) ?? new WaitingLine();
    this.#lines.set(agent, line);
    return line;
  }

  private eachLine(act: (line: WaitingLine) => void): void {
    for (const [agent, line] of this.#lines) {
      act(line);
      if (line.isEmpty) this.#lines.delete(agent);
    }
  }
}
