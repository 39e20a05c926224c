import type { RunEvent, RunEventKind, RunEventOf } from '@millrace/contracts';

/** Something every stored history keeps to, whoever wrote it and whatever crashed meanwhile. */
export interface Law {
  readonly says: string;
  readonly holds: (events: readonly RunEvent[]) => boolean;
}

export const ofKind = <K extends RunEventKind>(events: readonly RunEvent[], ...kinds: K[]): RunEventOf<K>[] =>
  events.filter((event): event is RunEventOf<K> => (kinds as readonly string[]).includes(event.kind));

export const areUnique = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

export const countsFrom = (first: number, numbers: readonly (number | undefined)[]): boolean =>
  numbers.every((number, index) => number === first + index);
