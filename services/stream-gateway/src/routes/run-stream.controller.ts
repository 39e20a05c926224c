import { AgentRunParams, RunParams, StreamQuery } from '@millrace/contracts';
import { Open } from '@millrace/nest-kit/http';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { z } from 'zod';
import { RunStreams } from '../streams/run-streams.js';
import type { StreamReply, StreamRequest } from './stream-request.js';

/** One run, in three dialects. Open to those without a token, since a ticket does as well: RunStreams asks for either. */
@Open()
@Controller()
export class RunStreamController {
  constructor(private readonly streams: RunStreams) {}

  @Get('agents/runs/:id/stream')
  native(
    @Param({ schema: RunParams }) { id: runId }: z.infer<typeof RunParams>,
    @Query({ schema: StreamQuery }) query: StreamQuery,
    @Req() request: StreamRequest,
    @Res() reply: StreamReply,
  ): Promise<void> {
    return this.streams.open({ runId, dialect: 'native', query, request, reply });
  }

  @Get('api/agent/:runId/events')
  agent(
    @Param({ schema: AgentRunParams }) { runId }: z.infer<typeof AgentRunParams>,
    @Query({ schema: StreamQuery }) query: StreamQuery,
    @Req() request: StreamRequest,
    @Res() reply: StreamReply,
  ): Promise<void> {
    return this.streams.open({ runId, dialect: 'agent', query, request, reply });
  }

  @Get('api/runs/:id/events')
  thread(
    @Param({ schema: RunParams }) { id: runId }: z.infer<typeof RunParams>,
    @Query({ schema: StreamQuery }) query: StreamQuery,
    @Req() request: StreamRequest,
    @Res() reply: StreamReply,
  ): Promise<void> {
    return this.streams.open({ runId, dialect: 'thread', query, request, reply });
  }
}
