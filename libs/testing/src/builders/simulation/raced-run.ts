import type { RefusalCode, RunEvent, RunFact } from '@millrace/contracts';
import { EMPTY_TAIL } from '@millrace/ports';
import { absent, evolve, fold, type Run, type RunCommand } from '@millrace/run-domain';
import { storedAfter } from '../stored.js';
import { CAST, endingOf } from './cast.js';
import { decideOrRefuse } from './decide-or-refuse.js';
import { Dice } from './dice.js';
import type { Mind } from './mind.js';

export interface RacedRun {
  readonly events: readonly RunEvent[];
  /** Appends that came too late: somebody else had moved the tail. */
  readonly conflicts: number;
  readonly refusals: readonly RefusalCode[];
}

/**
 * The history that comes of several actors who know the run only as of when they last looked. Each decides on what it
 * knows, appends by compare-and-swap, and looks again when it lost. The run is brought to an end before the numbers
 * run out, and the actors go on as if they had not noticed.
 */
export const raceRun = (numbers: readonly number[]): RacedRun => {
  const dice = new Dice(numbers);
  const log = new RacedLog();
  const actors = CAST.map((mind) => new Actor(mind, log));
  const takeTurns = (until: number): void => {
    while (dice.left > until) actors[dice.below(actors.length)]?.turn(dice);
  };
  takeTurns(numbers.length / 5);
  for (const order of endingOf(fold(log.events), dice)) new Actor(() => order, log).finish(dice);
  takeTurns(0);
  return { events: log.events, conflicts: log.conflicts, refusals: actors.flatMap((actor) => actor.refusals) };
};

class RacedLog {
  readonly events: RunEvent[] = [];
  conflicts = 0;
  private end = EMPTY_TAIL;

  /** Stores the fact if its author has seen every event. */
  append(fact: RunFact, seen: number): boolean {
    if (seen !== this.events.length) {
      this.conflicts += 1;
      return false;
    }
    const { event, tail } = storedAfter(this.end, fact);
    this.events.push(event);
    this.end = tail;
    return true;
  }
}

class Actor {
  readonly refusals: RefusalCode[] = [];
  private known: Run = absent;
  private seen = 0;
  private order: RunCommand | undefined;

  constructor(
    private readonly mind: Mind,
    private readonly log: RacedLog,
  ) {}

  /** One decision and at most one append, so that anybody may come between any two facts. */
  turn(dice: Dice): void {
    if (dice.oneIn(3)) this.look();
    this.order ??= this.mind(this.known, dice);
    const facts = decideOrRefuse(this.order, this.known);
    if (!Array.isArray(facts)) {
      this.refusals.push(facts);
      this.order = undefined;
      return this.look();
    }
    const [fact] = facts;
    const isStored = fact !== undefined && this.log.append(fact, this.seen);
    if (!fact || (isStored && facts.length === 1)) this.order = undefined;
    if (fact) this.look(); // what it wrote, or what somebody else did
  }

  /** Carries one order out, undisturbed. */
  finish(dice: Dice): void {
    this.look();
    do this.turn(dice);
    while (this.order !== undefined);
  }

  private look(): void {
    for (const event of this.log.events.slice(this.seen)) this.known = evolve(this.known, event);
    this.seen = this.log.events.length;
  }
}
