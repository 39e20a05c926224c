import type { RunEvent, RunRef } from '@millrace/contracts';
import { advance, type BlobStore, type Tail } from '@millrace/ports';
import type { StoredMessage } from './direct-reader.js';
import { tailIn } from './event-headers.js';
import { type EventTexts, hasPayloads, unpackInline, unpackReferenced } from './large-payloads.js';

/** What is kept of a stored message once it has been read: its headers are not. */
export interface Arrival {
  readonly streamSequence: number;
  /** Undefined for a message that no append of ours wrote. */
  readonly tail: Tail | undefined;
  /** Decoded at once, or when its turn has come if a part of it lies in the object store. */
  readonly event: RunEvent | (() => Promise<RunEvent>);
}

/** Throws what {@link unpackInline} throws: a message that is no event of this run. */
export const arrivalsOf =
  (run: RunRef, blobs: BlobStore, texts?: EventTexts) =>
  (message: StoredMessage): Arrival => {
    const { streamSequence, headers } = message;
    const event = hasPayloads(message)
      ? () => unpackReferenced(message, run, blobs)
      : unpackInline(message, run, texts);
    return { streamSequence, tail: tailIn(headers, streamSequence), event };
  };

export const tailBehind = ({ tail, streamSequence }: Omit<Arrival, 'event'>, before: Tail, event: RunEvent): Tail =>
  tail ?? advance(before, event, streamSequence);
