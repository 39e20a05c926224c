import type { RunEvent, RunFact, RunRef } from '@millrace/contracts';
import {
  EMPTY_TAIL,
  type Clock,
  type EventDraft,
  type EventIds,
  type RunLog,
  RunLogConflict,
  type Tail,
} from '@millrace/ports';
import { absent, decide, evolve, type Run, type RunCommand } from '@millrace/run-domain';

/** What a session needs of the world. */
export interface SessionPorts {
  readonly log: RunLog;
  readonly ids: EventIds;
  readonly clock: Clock;
}

/** How a draft gets into the log: plainly, or with more patience. */
export type Store = (draft: EventDraft, tail: Tail) => ReturnType<RunLog['append']>;

/** A run as one process knows it: the fold of its history, and how far that goes. For one caller at a time. */
export class RunSession {
  #run: Run = absent;
  #tail: Tail = EMPTY_TAIL;

  private constructor(
    private readonly ports: SessionPorts,
    readonly ref: RunRef,
    private readonly onEvent: (event: RunEvent) => void,
  ) {}

  /** `onEvent` is told of every event that is folded, once and in order, whoever appended it. */
  static async open(
    ports: SessionPorts,
    ref: RunRef,
    onEvent: (event: RunEvent) => void = () => {},
  ): Promise<RunSession> {
    const session = RunSession.unread(ports, ref, onEvent);
    await session.catchUp();
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

  get run(): Run {
    return this.#run;
  }

  get tail(): Tail {
    return this.#tail;
  }

  /** Folds what others have appended. */
  async catchUp(): Promise<void> {
    const { events, tail } = await this.ports.log.read(this.ref, this.#tail);
    for (const event of events) this.take(event);
    this.#tail = tail;
  }

  /**
   * Appends what the command decides, one fact at a time, and decides again after each but the last: so a crash or a
   * lost race is simply continued. Resolves with what it appended; rejects with RunRefused when the command makes no
   * sense, perhaps only because of what somebody else appended first.
   */
  async execute(command: RunCommand, store: Store = this.plainly): Promise<RunEvent[]> {
    const appended: RunEvent[] = [];
    for (;;) {
      const [fact, ...more] = decide(command, this.#run);
      if (!fact) return appended;
      const event = await this.append(fact, store);
      if (!event) continue;
      appended.push(event);
      if (more.length === 0) return appended;
    }
  }

  /** Undefined when somebody else was faster: then the history has grown and the decision is taken anew. */
  private async append(fact: RunFact, store: Store): Promise<RunEvent | undefined> {
    const { ids, clock } = this.ports;
    try {
      const { event, tail } = await store({ ...fact, eventId: ids.next(), ts: clock.now().toISOString() }, this.#tail);
      this.take(event);
      this.#tail = tail;
      return event;
    } catch (error) {
      if (!(error instanceof RunLogConflict)) throw error;
      await this.catchUp();
      return undefined;
    }
  }

  private take(event: RunEvent): void {
    this.#run = evolve(this.#run, event);
    this.onEvent(event);
  }

  private readonly plainly: Store = (draft, tail) => this.ports.log.append(this.ref, draft, tail);
}
