import type { RunEvent, RunEventOf, RunRef, RunTask } from '@millrace/contracts';
import {
  type AtLeast,
  done,
  type Outcome,
  retryAfter,
  RunLogConflict,
  type Tail,
  type TaskQueue,
  type Timers,
} from '@millrace/ports';
import {
  openInputs,
  openTasks,
  type Run,
  type RunCommand,
  RunRefused,
  toolsUsed,
  unansweredOf,
} from '@millrace/run-domain';
import { RunSession, type SessionPorts } from '../run-session.js';
import { RunTotals } from '../work/run-totals.js';
import { EarlyOffers } from './early-offers.js';
import { commandAfter, factAfter } from './graph-end.js';

export interface OverseePorts extends SessionPorts {
  readonly tasks: TaskQueue;
  readonly timers: Timers;
}

/** The message of a run that a worker is about to acknowledge is in the way of the next one for a moment. */
const OFFER_AGAIN_MS = 100;
/** A worker that goes on with the run sees by itself what we offer it for. */
const LONGEST_PAUSE_MS = 5_000;

/**
 * What follows from a run's log and is no worker's to do: deadlines are set and kept, a run that waited is offered to the
 * workers again, and one that has come to its end is ended. Holds nothing of a run between two calls.
 *
 * I1  What an event calls for is done before its message is acknowledged, so that a crash is followed by another call.
 * I2  It reads at least as far as the event it was told of.
 * I3  While a worker has the run's message, that worker sees what happens. It lets go of a run only on a history that
 *     has nothing for it to do (MovedRun, I3); so what came later finds the message gone, or going: then it is tried again.
 */
export class RunOverseer {
  readonly #early = new EarlyOffers();

  constructor(private readonly ports: OverseePorts) {}

  /**
   * A run that this process has just started, with its history: a worker has it before the event that says so has come
   * back, and reads nothing. Never rejects, since the event calls for the same.
   */
  async started(task: RunTask): Promise<void> {
    await this.#early.add(task.runId, this.ports.tasks.offerRun(task));
  }

  /** What was stored, how far the history went with it, and how often it was delivered. */
  async heard(event: RunEvent, tail: Tail, deliveries = 1): Promise<Outcome> {
    const ref = { tenantId: event.tenantId, runId: event.runId };
    if (event.kind === 'RunStarted') return this.offered(event, tail);
    if (event.kind === 'GraphEnded') return this.graphEnded(event, tail);
    if (event.kind !== 'InputRequested') return this.advance(ref, tail.streamSequence, deliveries);
    if (event.expiresAt !== undefined) await this.ports.timers.set(ref, event.requestId, new Date(event.expiresAt));
    return done;
  }

  private async offered(
    { tenantId, runId, agent, agentVersion }: RunEventOf<'RunStarted'>,
    tail: Tail,
  ): Promise<Outcome> {
    if (await this.#early.take(runId)) return done;
    await this.ports.tasks.offerRun({ ...RUN, tenantId, runId, agent, agentVersion, place: tail.streamSequence });
    return done; // whether it was offered now or before
  }

  async advance(ref: RunRef, atLeast: AtLeast = 'now', deliveries = 1): Promise<Outcome> {
    const story = new Story();
    const session = await RunSession.open(this.ports, ref, { atLeast, onEvent: (event) => story.evolve(event) });
    try {
      return await this.follow(session, story, deliveries);
    } catch (error) {
      // The run has gone another way meanwhile, and the event that says so calls again.
      if (error instanceof RunRefused && error.code.startsWith('RUN_')) return done;
      throw error;
    }
  }

  /**
   * The graph has ended, and its event is the last of the run: nothing needs to be read. Where something came behind it,
   * or the end concerns other runs, the whole history decides.
   */
  private async graphEnded(event: RunEventOf<'GraphEnded'>, tail: Tail): Promise<Outcome> {
    if (!event.standsAlone) return this.advance({ tenantId: event.tenantId, runId: event.runId }, tail.streamSequence);
    const { log, ids, clock } = this.ports;
    const draft = { ...factAfter(event), eventId: ids.next(), ts: clock.now().toISOString() };
    try {
      await log.append(event, draft, tail);
      return done;
    } catch (error) {
      if (!(error instanceof RunLogConflict)) throw error;
      return this.advance({ tenantId: event.tenantId, runId: event.runId }, tail.streamSequence);
    }
  }

  /** A run that stands still: it is offered whatever its log says of workers. */
  async wake(ref: RunRef): Promise<void> {
    const session = await RunSession.open(this.ports, ref, { atLeast: 'now' });
    if (isActive(session.run) && !session.run.work.graphEnded) await this.offer(session);
    else await this.advance(ref);
  }

  private async follow(session: RunSession, story: Story, deliveries: number): Promise<Outcome> {
    const { run, ref } = session;
    switch (run.status) {
      case 'PENDING':
      case 'QUEUED':
        if (run.goalAchieved) await session.execute(achieved(session, story)); // else it is the dispatcher's
        return done;
      case 'CANCELED_REQUESTED':
        await session.execute({ kind: 'ConfirmCancel', ...ref });
        return done;
      case 'DISPATCHED':
      case 'RUNNING':
      case 'PAUSED':
        if (run.goalAchieved) await session.execute(achieved(session, story));
        else if (story.end) await session.execute(commandAfter(story.end));
        else return this.keepMoving(session, deliveries);
        return done;
      case 'ABSENT':
      case 'SUCCEEDED':
      case 'FAILED':
      case 'CANCELED':
        return done;
    }
  }

  private async keepMoving(session: RunSession, deliveries: number): Promise<Outcome> {
    const now = this.ports.clock.now();
    for (const { requestId, expiresAt } of openInputs(session.run)) {
      if (expiresAt === undefined || new Date(expiresAt) > now) continue;
      await session.execute({ kind: 'ExpireInput', ...session.ref, requestId });
    }
    const work = workFor(session.run);
    if (work === 'none' || (await this.offer(session)) || work === 'in hand') return done;
    return retryAfter(Math.min(OFFER_AGAIN_MS * 2 ** (deliveries - 1), LONGEST_PAUSE_MS)); // I3
  }

  private offer({ run, ref, tail }: RunSession): Promise<boolean> {
    if (!isActive(run)) throw new TypeError(`Run ${ref.runId} is ${run.status} and cannot be moved`);
    const { agent, work } = run;
    const { agentVersion } = work;
    return this.ports.tasks.offerRun({ ...RUN, ...ref, agent, agentVersion, place: tail.streamSequence });
  }
}

type ActiveRun = Extract<Run, { status: 'DISPATCHED' | 'RUNNING' | 'PAUSED' }>;

const isActive = (run: Run): run is ActiveRun =>
  run.status === 'DISPATCHED' || run.status === 'RUNNING' || run.status === 'PAUSED';

/**
 * Whether a worker could do something: now or when a retry is due. Nothing is to be done while all that is open waits for
 * people. What has begun is in hand, unless its worker died and its message came back while the run was paused: then the
 * message is gone, and the run is offered once.
 */
const workFor = (run: Run): 'none' | 'in hand' | 'waits' => {
  if (run.status !== 'DISPATCHED' && run.status !== 'RUNNING') return 'none';
  const open = openTasks(run);
  const due = open.filter((task) => unansweredOf(run, task).length === 0);
  if (open.length > 0 && due.length === 0) return 'none';
  return open.length === 0 || due.some(({ state }) => state.name !== 'STARTED') ? 'waits' : 'in hand';
};

const RUN = { version: '1', work: 'run' } as const satisfies Partial<RunTask>;

/** What ending a run needs of its history, beside its state. */
class Story {
  readonly totals = new RunTotals();
  end: RunEventOf<'GraphEnded'> | undefined;

  evolve(event: RunEvent): void {
    this.totals.evolve(event);
    if (event.kind === 'GraphEnded') this.end = event;
  }
}

const achieved = ({ run, ref }: RunSession, { totals: { usage } }: Story): RunCommand => {
  const stepsCompleted = 'work' in run ? (run.work?.finishedTasks.size ?? 0) : 0;
  const output = { text: 'The goal was declared achieved.' };
  const end = { summary: output.text, stepsCompleted, output, sources: [], usage, toolsUsed: toolsUsed(run) };
  return { kind: 'FinishRun', ...ref, ...end };
};
