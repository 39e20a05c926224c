import type { RunId, RunRef, StreamQuery } from '@millrace/contracts';
import type { DialectName } from '@millrace/dialects';
import type { StreamAccess } from '../access/stream-access.js';
import { firstWanted, shownIn, type StreamReply, type StreamRequest } from '../routes/stream-request.js';
import type { RunChannel } from './run-channel.js';
import type { RunChannels } from './run-channels.js';
import type { RunPages } from './run-pages.js';
import { RunReader } from './run-reader.js';
import type { Held } from './shared.js';
import type { StreamDesk } from './stream-desk.js';
import type { Unreadables } from './unreadables.js';

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
    private readonly unreadables: Unreadables,
  ) {}

  async open({ runId, dialect, query, request, reply }: RunStreamOrder): Promise<void> {
    const admission = await this.access.toRun(shownIn(request, query.ticket), runId);
    const next = firstWanted(request, query.fromSeq);
    await this.desk.open({ admission, request, reply }, async () => {
      const run = { tenantId: admission.tenantId, runId };
      const troubled = (error: unknown) => this.unreadables.inRun(run, error);
      const { value: channel, release } = await this.hold(run, next, troubled);
      return {
        isOver: channel.isEnded && next > channel.last,
        release,
        readerFor: (connection) => new RunReader(channel, this.pages, connection, { dialect, next, troubled }),
      };
    });
  }
  private async hold(run: RunRef, next: number, troubled: (error: unknown) => void): Promise<Held<RunChannel>> {
    try {
      return await this.channels.hold(run, next);
    } catch (error) {
      troubled(error);
      throw error;
    }
  }
}
