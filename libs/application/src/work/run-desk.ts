import type { RunEvent, RunRef, TaskKey } from '@millrace/contracts';
import { isTerminal } from '@millrace/contracts';
import type { AtLeast } from '@millrace/ports';
import type { Run } from '@millrace/run-domain';
import { RunSession, type SessionPorts } from '../run-session.js';
import { RunWriter } from '../run-writer.js';

export interface DeskPorts extends SessionPorts {
  readonly pause: (ms: number) => Promise<void>;
}

/** Why a body is told to stop. */
export type StopReason = 'canceled' | 'ended' | 'superseded';

interface Watched {
  readonly attempt: number;
  readonly stop: (reason: StopReason) => void;
}

/**
 * One run in the hands of a worker: its fold, its one writer, and an ear on its live tail. The tasks of a run that one
 * worker holds at the same time share it, so that they never race each other for the tail.
 */
export class RunDesk {
  readonly #watched = new Map<TaskKey, Watched>();
  readonly #closing = new AbortController();

  private constructor(
    private readonly ports: DeskPorts,
    private readonly session: RunSession,
    readonly writer: RunWriter,
  ) {}

  static async open(ports: DeskPorts, ref: RunRef): Promise<RunDesk> {
    const session = await RunSession.open(ports, ref);
    const desk = new RunDesk(ports, session, new RunWriter(session, ports.log, { pause: ports.pause }));
    desk.listen();
    return desk;
  }

  get run(): Run {
    return this.session.run;
  }

  /** Reads what was appended since. */
  async refresh(atLeast: AtLeast): Promise<void> {
    await this.writer.alone(() => this.session.catchUp(atLeast));
  }

  /** All that this desk knows of, at least. */
  async history(): Promise<readonly RunEvent[]> {
    const { ref, tail } = this.session;
    return (await this.ports.log.read(ref, undefined, { atLeast: tail.streamSequence })).events;
  }

  /** Tells when the run is canceled or ends, or another attempt takes the task. Gives back how to stop watching. */
  watch(key: TaskKey, attempt: number, stop: (reason: StopReason) => void): () => void {
    const watched = { attempt, stop };
    this.#watched.set(key, watched);
    return () => {
      if (this.#watched.get(key) === watched) this.#watched.delete(key);
    };
  }

  close(): void {
    this.#closing.abort();
  }

  private listen(): void {
    const { log } = this.ports;
    void (async () => {
      for await (const event of log.follow(this.session.ref, this.session.tail, this.#closing.signal)) this.hear(event);
    })();
  }

  private hear(event: RunEvent): void {
    if (event.kind === 'RunCancelRequested') this.stopAll('canceled');
    else if (isTerminal(event)) this.stopAll('ended');
    else if (event.kind === 'NodeStarted') {
      const watched = this.#watched.get(event.taskKey);
      if (watched && event.attempt > watched.attempt) watched.stop('superseded');
    }
  }

  private stopAll(reason: StopReason): void {
    for (const { stop } of this.#watched.values()) stop(reason);
  }
}
