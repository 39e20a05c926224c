import type { RunId, StreamQuery } from '@millrace/contracts';
import type { DialectName } from '@millrace/dialects';
import type { StreamAccess } from '../access/stream-access.js';
import { firstWanted, shownIn, type StreamReply, type StreamRequest } from '../routes/stream-request.js';
import type { RunChannels } from './run-channels.js';
import type { RunPages } from './run-pages.js';
import { RunReader } from './run-reader.js';
import type { StreamDesk } from './stream-desk.js';

export interface RunStreamOrder {
  readonly runId: RunId;
  readonly dialect: DialectName;
  readonly query: StreamQuery;
  readonly request: StreamRequest;
  readonly reply: StreamReply;
}

/** Streams of single runs. */
export class RunStreams {
  constructor(
    private readonly access: StreamAccess,
    private readonly channels: RunChannels,
    private readonly pages: RunPages,
    private readonly desk: StreamDesk,
  ) {}

  async open({ runId, dialect, query, request, reply }: RunStreamOrder): Promise<void> {
    const admission = await this.access.toRun(shownIn(request, query.ticket), runId);
    const next = firstWanted(request, query.fromSeq);
    await this.desk.open({ admission, request, reply }, async () => {
      const { value: channel, release } = await this.channels.hold({ tenantId: admission.tenantId, runId });
      return {
        isOver: channel.isEnded && next > channel.last,
        release,
        readerFor: (connection) => new RunReader(channel, this.pages, connection, dialect, next),
      };
    });
  }
}
