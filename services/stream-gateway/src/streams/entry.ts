import { isTerminal, type PublicEvent } from '@millrace/contracts';
import { type DialectName, DIALECTS, encodeFrames, encodeStored } from '@millrace/dialects';

/** A public event, and its bytes in each dialect: made once, and shared by all who read them. */
export class Entry {
  readonly #bytes: Partial<Record<DialectName, Buffer>> = {};
  #stored: string | undefined;

  /** `stored` is the JSON text the event is stored as: the native frame holds it unchanged. */
  constructor(
    readonly event: PublicEvent,
    stored?: string,
  ) {
    this.#stored = stored;
  }

  get sequence(): number {
    return this.event.sequence;
  }

  get isTerminal(): boolean {
    return isTerminal(this.event);
  }

  /** Empty when the dialect has no word for the event. */
  bytes(dialect: DialectName): Buffer {
    return (this.#bytes[dialect] ??= Buffer.from(this.framesIn(dialect)));
  }

  private framesIn(dialect: DialectName): string {
    const stored = this.#stored;
    if (dialect === 'native' && stored !== undefined) {
      this.#stored = undefined; // its bytes are kept from now on
      return encodeStored(this.sequence, stored);
    }
    return encodeFrames(this.sequence, DIALECTS[dialect](this.event));
  }
}

/** The bytes of some consecutive events; `last` is the number of the last of them. */
export interface Block {
  readonly bytes: Buffer;
  readonly last: number;
  readonly isTerminal: boolean;
}

/** So much is handed to a connection at once; an event that is larger is a block of its own. */
const BLOCK_BYTES = 32 * 1024;

/** A block ends where an event ends, so that a connection that takes no more has a cursor. */
export const blocksOf = (entries: readonly Entry[], dialect: DialectName): Block[] => {
  const blocks: Block[] = [];
  let piled: Buffer[] = [];
  let size = 0;
  entries.forEach((entry, at) => {
    const bytes = entry.bytes(dialect);
    piled.push(bytes);
    size += bytes.byteLength;
    const next = entries[at + 1];
    if (next !== undefined && size + next.bytes(dialect).byteLength <= BLOCK_BYTES) return;
    const { sequence: last, isTerminal } = entry;
    blocks.push({ bytes: piled.length === 1 ? bytes : Buffer.concat(piled, size), last, isTerminal });
    piled = [];
    size = 0;
  });
  return blocks;
};
