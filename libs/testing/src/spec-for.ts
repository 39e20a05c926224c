import { expect } from '@jest/globals';
import type { RefusalCode } from '@millrace/contracts';
import { RunRefused } from '@millrace/run-domain';

export interface Decider<Command, State, Fact> {
  readonly initial: State;
  readonly decide: (command: Command, state: State) => Fact[];
  readonly evolve: (state: State, fact: Fact) => State;
}

/**
 * `given(...facts).when(command).then(...facts)`: history is built from facts, never by setting state. The expectation
 * compares as the log would, so a field that is undefined is the same as one that is absent.
 */
export const specFor =
  <Command, State, Fact>({ initial, decide, evolve }: Decider<Command, State, Fact>) =>
  (...history: Fact[]) => ({
    when: (command: Command) => {
      const decided = () => decide(command, history.reduce(evolve, initial));
      return {
        then: (...facts: [Fact, ...Fact[]]): void => expect(decided()).toEqual(facts),
        thenNothing: (): void => expect(decided()).toEqual([]),
        thenRefused: (code: RefusalCode): void => expect(refusalOf(decided)).toBe(code),
      };
    },
  });

/** The code alone: what people read may change. An error that is no refusal is a defect and stays one. */
const refusalOf = (decided: () => unknown): RefusalCode | 'not refused' => {
  try {
    decided();
    return 'not refused';
  } catch (error) {
    if (error instanceof RunRefused) return error.code;
    throw error;
  }
};
