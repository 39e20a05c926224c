import type { RunFact } from '@millrace/contracts';
import { absent, evolve, type RunCommand } from '@millrace/run-domain';
import { CAST, endingOf } from './cast.js';
import { decideOrRefuse } from './decide-or-refuse.js';
import { Dice } from './dice.js';

export interface PlayedOrder {
  readonly command: RunCommand;
  readonly facts: readonly RunFact[];
}

/** Orders one after the other, each carried out whole by somebody who knows everything; what is refused is left out. */
export const playRun = (numbers: readonly number[]): PlayedOrder[] => {
  const dice = new Dice(numbers);
  const played: PlayedOrder[] = [];
  let run = absent;
  const play = (command: RunCommand): void => {
    const facts = decideOrRefuse(command, run);
    if (!Array.isArray(facts)) return;
    played.push({ command, facts });
    run = facts.reduce(evolve, run);
  };
  while (dice.left > 0) play(dice.pick(CAST)(run, dice));
  for (const command of endingOf(run, dice)) play(command);
  return played;
};
