import type { PublicEvent, RunEventKind } from '@millrace/contracts';
import type { Transport } from '../http/transport.js';
import type { SseFrame } from '../sse/sse-parser.js';
import { isForClients, parseEvent } from './public-event.js';
import { type Followed, type FollowOptions, followSse } from './sse-follow.js';

export interface FeedOptions extends FollowOptions {
  /** All public ones when it is left out. */
  readonly kinds?: readonly RunEventKind[] | undefined;
  /** Only runs this agent was asked for. */
  readonly agent?: string | undefined;
  /** Behind a cursor of this feed; at the `start` of the log; or, when it is left out, from `now` on. */
  readonly after?: string | undefined;
}

export interface FeedItem {
  readonly event: PublicEvent;
  /** To go on behind this item, as `after`. */
  readonly cursor: string;
}

/** A tenant's events over all of its runs, as they happen, over as many connections as it takes; it does not end. */
export const streamFeed = (transport: Transport, options: FeedOptions = {}): AsyncGenerator<FeedItem> =>
  followSse(transport, new FeedReader(options), options);

class FeedReader implements Followed<FeedItem> {
  readonly path = '/agents/events';
  #after: string | undefined;
  #items = 0;

  constructor(private readonly options: FeedOptions) {
    this.#after = options.after;
  }

  query = () => ({ kinds: this.options.kinds?.join(','), agent: this.options.agent, after: this.#after });
  progress = () => this.#items;
  isOver = () => false;

  *read({ event: name, data, id }: SseFrame): Generator<FeedItem> {
    if (name !== 'message' || id === undefined) return; // of a newer server
    const event = parseEvent(data);
    if (event && isForClients(event)) yield { event, cursor: id };
    this.#after = id;
    this.#items += 1;
  }
}
