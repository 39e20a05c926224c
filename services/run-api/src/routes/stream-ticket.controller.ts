import { RunQueries } from '@millrace/application';
import { RunParams, type StreamTicketAnswer } from '@millrace/contracts';
import { Caller, type Identity, Needs, StreamTickets } from '@millrace/nest-kit/http';
import { Controller, Param, Post } from '@nestjs/common';
import type { z } from 'zod';

@Controller('agents/runs')
export class StreamTicketController {
  constructor(
    private readonly queries: RunQueries,
    private readonly tickets: StreamTickets,
  ) {}

  /** A POST, since each answer is another ticket; but who may read a run may follow it. */
  @Post(':id/stream-ticket')
  @Needs('runs:read')
  async mint(
    @Caller() caller: Identity,
    @Param({ schema: RunParams }) { id: runId }: z.infer<typeof RunParams>,
  ): Promise<StreamTicketAnswer> {
    await this.queries.requireRun({ tenantId: caller.tenantId, runId });
    return this.tickets.mint(caller, runId);
  }
}
