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

  /** None when it does not hold the event. */
  entriesFrom(sequence: number): readonly Entry[] {
    return this.entries.slice(Math.max(sequence - this.begin, 0));
  }

  /** Made once: whoever begins inside a block is given the rest of that one, and then the same as everybody. */
  blocksFrom(sequence: number, dialect: DialectName): readonly Block[] {
    const blocks = (this.#blocks[dialect] ??= blocksOf(this.entries, dialect));
    const at = blocks.findIndex(({ last }) => last >= sequence);
    if (at < 0) return [];
    const first = (blocks[at - 1]?.last ?? this.begin - 1) + 1;
    if (first >= sequence) return blocks.slice(at);
    const rest = this.entries.slice(sequence - this.begin, blocks[at]!.last + 1 - this.begin);
    return [...blocksOf(rest, dialect), ...blocks.slice(at + 1)];
  }

  private get begin(): number {
    return this.entries[0]?.sequence ?? 0;
  }
}
