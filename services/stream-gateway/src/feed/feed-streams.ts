import { FeedCursor, type FeedQuery } from '@millrace/contracts';
import { OutageLog } from '@millrace/nest-kit';
import type { FeedWanted, TenantFeed } from '@millrace/ports';
import { Logger } from '@nestjs/common';
import { z } from 'zod';
import type { StreamAccess } from '../access/stream-access.js';
import { lastEventIdIn, shownIn, type StreamReply, type StreamRequest } from '../routes/stream-request.js';
import { Shared } from '../streams/shared.js';
import type { StreamDesk } from '../streams/stream-desk.js';
import type { Unreadables } from '../streams/unreadables.js';
import type { AgentsOfRuns } from './agents-of-runs.js';
import { FeedChannel } from './feed-channel.js';
import { placeIn } from './feed-cursor.js';
import { FeedReader } from './feed-reader.js';

export interface FeedOrder {
  readonly query: FeedQuery;
  readonly request: StreamRequest;
  readonly reply: StreamReply;
}

/** Feeds over all runs of a tenant. */
export class FeedStreams {
  readonly #channels = new Shared<FeedChannel>();
  readonly #outages = new OutageLog(new Logger('Feeds'));

  constructor(
    private readonly access: StreamAccess,
    private readonly feed: TenantFeed,
    private readonly agents: AgentsOfRuns,
    private readonly desk: StreamDesk,
    private readonly unreadables: Unreadables,
  ) {}

  get size(): number {
    return this.#channels.size;
  }

  async open({ query, request, reply }: FeedOrder): Promise<void> {
    const admission = await this.access.byToken(shownIn(request));
    const wanted: FeedWanted = { tenantId: admission.tenantId, kinds: [...query.kinds].sort() };
    const after = this.placeOf(query, request, wanted);
    await this.desk.open({ admission, request, reply }, async () => {
      const { value: channel, release } = await this.#channels.hold(keyOf(wanted), () => this.channel(wanted));
      return {
        isOver: false, // a tenant's runs never end
        release,
        readerFor: (connection) => new FeedReader(channel, connection, this.agents, query.agent, after ?? channel.end),
      };
    });
  }

  private async channel(wanted: FeedWanted): Promise<FeedChannel> {
    const channel = await FeedChannel.open(this.feed, wanted, {
      troubled: (error) => this.#outages.failed(error),
      unreadable: (found) => this.unreadables.inFeed(found),
    });
    this.#outages.recovered();
    return channel;
  }

  /** Undefined: from now on. Of two cursors the one a browser adds when it comes back counts. */
  private placeOf({ after }: FeedQuery, request: StreamRequest, { tenantId }: FeedWanted): number | undefined {
    const last = lastEventIdIn(request, FeedCursor.or(z.literal('')).optional());
    if (last !== undefined && last !== '') return placeIn(last, tenantId, 'Last-Event-ID');
    if (after === undefined || after === 'now') return undefined;
    return after === 'start' ? 0 : placeIn(after, tenantId, 'after');
  }
}

const keyOf = ({ tenantId, kinds }: FeedWanted): string => `${tenantId}/${kinds.join(',')}`;
