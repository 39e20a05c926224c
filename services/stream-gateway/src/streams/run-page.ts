import type { DialectName } from '@millrace/dialects';
import type { Tail } from '@millrace/ports';
import { type Block, blocksOf, type Entry } from './entry.js';

/** Consecutive events of a run, beginning where the number of an event is a multiple of the page's size. */
export class RunPage {
  readonly #blocks: Partial<Record<DialectName, Block[]>> = {};
  /** What it takes in memory, about: the events, and their bytes in a dialect or two. */
  readonly weight: number;

  constructor(
    readonly entries: readonly Entry[],
    /** Where the log goes on behind the page. */
    readonly tail: Tail,
    /** A whole page never changes again. */
    readonly isWhole: boolean,
  ) {
    this.weight = 1_024 + 4 * entries.reduce((sum, entry) => sum + entry.bytes('native').byteLength, 0);
  }

  /** The number behind its last event. */
  get end(): number {
    return (this.entries.at(-1)?.sequence ?? -1) + 1;
  }

  entriesFrom(sequence: number): readonly Entry[] {
    const [first] = this.entries;
    return first === undefined || first.sequence === sequence
      ? this.entries
      : this.entries.slice(Math.max(sequence - first.sequence, 0));
  }

  /** Made once for those who read the page from its beginning: nearly all do. */
  blocksFrom(sequence: number, dialect: DialectName): readonly Block[] {
    const entries = this.entriesFrom(sequence);
    return entries === this.entries
      ? (this.#blocks[dialect] ??= blocksOf(entries, dialect))
      : blocksOf(entries, dialect);
  }
}
