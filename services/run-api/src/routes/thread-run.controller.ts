import { type Caller as CallerOf, RunOrders, RunQueries } from '@millrace/application';
import { CommandBody, RunParams, threadStatusOf } from '@millrace/contracts';
import { Caller } from '@millrace/nest-kit/http';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { z } from 'zod';
import { optional } from './optional-body.js';

type Run = z.infer<typeof RunParams>;

/** Runs in the words of the thread dialect. */
@Controller('api/runs')
export class ThreadRunController {
  constructor(
    private readonly orders: RunOrders,
    private readonly queries: RunQueries,
  ) {}

  @Get(':id')
  async detail(@Caller() { tenantId }: CallerOf, @Param({ schema: RunParams }) { id: runId }: Run) {
    const { id, status, createdAt, startedAt, finishedAt } = await this.queries.detail({ tenantId, runId });
    return { id, status: threadStatusOf(status), createdAt, startedAt, finishedAt };
  }

  @Post(':id/cancel')
  @HttpCode(200)
  async cancel(
    @Caller() caller: CallerOf,
    @Param({ schema: RunParams }) { id }: Run,
    @Body({ schema: optional(CommandBody) }) { reason }: z.infer<typeof CommandBody>,
  ) {
    return { status: threadStatusOf(await this.orders.cancel(caller, id, reason)) };
  }
}
