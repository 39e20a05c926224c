import type { RunEvent, RunFact, RunRef } from '@millrace/contracts';
import {
  EMPTY_TAIL,
  type AtLeast,
  type Clock,
  type EventDraft,
  type EventIds,
  type RunLog,
  RunLogConflict,
  type Tail,
} from '@millrace/ports';
import { absent, decide, evolve, type Run, type RunCommand, RunRefused } from '@millrace/run-domain';

/** What a session needs of the world. */
export interface SessionPorts {
  readonly log: RunLog;
  readonly ids: EventIds;
  readonly clock: Clock;
}

/** How a draft gets into the log: plainly, or with more patience. */
export type Store = (draft: EventDraft, tail: Tail) => ReturnType<RunLog['append']>;

/**
 * A run as one process knows it: the fold of its history, and how far that goes. For one caller at a time.
 *
 * I1  What a decision appends is compared with the tail it was decided on, so a history that was read from a replica that
 *     lags is found out.
 * I2  A decision to append nothing (a repeat, a refusal) is compared with nothing. It holds only on a history that is
 *     known to be whole: one read at least as far as there was anything, or one this session has just appended to.
 */
export class RunSession {
  #run: Run = absent;
  #tail: Tail = EMPTY_TAIL;

  private constructor(
    private readonly ports: SessionPorts,
    readonly ref: RunRef,
    private readonly onEvent: (event: RunEvent) => void,
  ) {}

  /**
   * `onEvent` is told of every event that is folded, once and in order, whatever process appended it. A session that is
   * opened because of an event reads at least as far as that event.
   */
  static async open(
    ports: SessionPorts,
    ref: RunRef,
    { atLeast, onEvent = () => {} }: { atLeast?: AtLeast | undefined; onEvent?: (event: RunEvent) => void } = {},
  ): Promise<RunSession> {
    const session = RunSession.unread(ports, ref, onEvent);
    await session.catchUp(atLeast);
    return session;
  }

  /**
   * For a run that is most likely not there yet: nothing is read. If it is there after all, the first append is refused,
   * and what it was refused for is read and decided on.
   */
  static unread(
    ports: SessionPorts,
    { tenantId, runId }: RunRef,
    onEvent: (event: RunEvent) => void = () => {},
  ): RunSession {
    return new RunSession(ports, { tenantId, runId }, onEvent);
  }

  /** From a history that is at hand, whole up to `tail`: nothing is read. */
  static seeded(
    ports: SessionPorts,
    ref: RunRef,
    { events, tail }: { readonly events: readonly RunEvent[]; readonly tail: Tail },
    onEvent?: (event: RunEvent) => void,
  ): RunSession {
    const session = RunSession.unread(ports, ref, onEvent);
    for (const event of events) session.evolve(event);
    session.#tail = tail;
    return session;
  }

  get run(): Run {
    return this.#run;
  }

  get tail(): Tail {
    return this.#tail;
  }

  /** Folds what other processes have appended. */
  async catchUp(atLeast?: AtLeast): Promise<void> {
    const { events, tail } = await this.ports.log.read(this.ref, this.#tail, { atLeast });
    for (const event of events) this.evolve(event);
    this.#tail = tail;
  }

  /**
   * Appends what the command decides, one fact at a time, and decides again after each but the last: so a crash or a
   * lost race is simply continued. Resolves with what it appended; rejects with RunRefused when the command makes no
   * sense, perhaps only because of what another process appended first.
   */
  async execute(command: RunCommand, store: Store = this.plainly): Promise<RunEvent[]> {
    const appended: RunEvent[] = [];
    for (let isWhole = false; ;) {
      const decision = decisionOn(command, this.#run);
      if (decision.facts.length === 0) {
        if (isWhole) return concluded(decision, appended);
        await this.catchUp('now'); // I2
        isWhole = true;
        continue;
      }
      const event = await this.append(decision.facts[0]!, store);
      isWhole = true; // it ends with our event, or has just been read
      if (!event) continue;
      appended.push(event);
      if (decision.facts.length === 1) return appended;
    }
  }

  /** Undefined when another writer was faster: then the history has grown and the decision is taken anew. */
  private async append(fact: RunFact, store: Store): Promise<RunEvent | undefined> {
    const { ids, clock } = this.ports;
    try {
      const { event, tail } = await store({ ...fact, eventId: ids.next(), ts: clock.now().toISOString() }, this.#tail);
      this.evolve(event);
      this.#tail = tail;
      return event;
    } catch (error) {
      if (!(error instanceof RunLogConflict)) throw error;
      await this.catchUp('now'); // I1
      return undefined;
    }
  }

  private evolve(event: RunEvent): void {
    this.#run = evolve(this.#run, event);
    this.onEvent(event);
  }

  private readonly plainly: Store = (draft, tail) => this.ports.log.append(this.ref, draft, tail);
}

interface Decision {
  readonly facts: readonly RunFact[];
  readonly refusal?: RunRefused;
}

const decisionOn = (command: RunCommand, run: Run): Decision => {
  try {
    return { facts: decide(command, run) };
  } catch (error) {
    if (error instanceof RunRefused) return { facts: [], refusal: error };
    throw error;
  }
};

const concluded = ({ refusal }: Decision, appended: RunEvent[]): RunEvent[] => {
  if (refusal) throw refusal;
  return appended;
};
