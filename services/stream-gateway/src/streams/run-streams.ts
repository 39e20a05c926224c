import type { RunId, StreamQuery } from '@millrace/contracts';
import type { DialectName } from '@millrace/dialects';
import type { StreamAccess } from '../access/stream-access.js';
import { firstWanted, shownIn, type StreamReply, type StreamRequest } from '../routes/stream-request.js';
import type { Connections } from './connections.js';
import type { OpenChannel, RunChannels } from './run-channels.js';
import type { RunPages } from './run-pages.js';
import { RunReader } from './run-reader.js';
import { SseConnection, STREAM_HEADERS } from './sse-connection.js';

export interface RunStreamOrder {
  readonly runId: RunId;
  readonly dialect: DialectName;
  readonly query: StreamQuery;
  readonly request: StreamRequest;
  readonly reply: StreamReply;
}

export interface RunStreamParts {
  readonly access: StreamAccess;
  readonly channels: RunChannels;
  readonly pages: RunPages;
  readonly connections: Connections;
  readonly retryMs: number;
}

/**
 * Opens streams of runs. Everything that can be refused is refused before the first byte; a ticket is used up last, so
 * that no refusal costs one.
 */
export class RunStreams {
  constructor(private readonly parts: RunStreamParts) {}

  async open({ runId, dialect, query, request, reply }: RunStreamOrder): Promise<void> {
    const { access, channels, connections, pages, retryMs } = this.parts;
    const admission = await access.toRun(shownIn(request, query.ticket), runId);
    const { tenantId, expiresAt } = admission;
    const next = firstWanted(request, query.fromSeq);
    const giveBack = connections.reserve(tenantId);
    let opened: OpenChannel | undefined;
    try {
      opened = await channels.open({ tenantId, runId });
      const { channel, release } = opened;
      const isOver = channel.isEnded && next > channel.last;
      if (isOver || request.method === 'HEAD') {
        if (!isOver) for (const [name, value] of Object.entries(STREAM_HEADERS)) reply.header(name, value);
        reply.status(isOver ? 204 : 200).send(); // 204 tells a browser to come back no more
        release();
        giveBack();
        return;
      }
      const cookie = await admission.redeem();
      if (cookie !== undefined) reply.header('set-cookie', cookie);
      reply.hijack();
      const connection = new SseConnection(reply.raw, { retryMs, expiresAt: expiresAt.getTime() });
      const reader = new RunReader(channel, pages, connection, dialect, next);
      const stream = {
        connection,
        get cursor() {
          return reader.cursor;
        },
      };
      connection.onClose = () => {
        channel.leave(reader);
        connections.remove(stream);
        release();
        giveBack();
      };
      connections.add(stream);
      connection.open(reply.getHeaders());
      reader.start();
    } catch (error) {
      opened?.release();
      giveBack();
      throw error;
    }
  }
}
