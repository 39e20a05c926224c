import { type Caller as CallerOf, RunOrders, RunQueries, RunRetries, ThreadOrders } from '@millrace/application';
import {
  AnswerBody,
  CommandBody,
  CreateRunBody,
  DoneBody,
  EventsQuery,
  RetryBody,
  RunInputParams,
  RunParams,
} from '@millrace/contracts';
import { Caller, IdempotencyKey } from '@millrace/nest-kit/http';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import type { z } from 'zod';
import { optional } from './optional-body.js';
import { projectFor } from './thread-project.js';

type Run = z.infer<typeof RunParams>;
type Reason = z.infer<typeof CommandBody>;

@Controller('agents/runs')
export class NativeController {
  constructor(
    private readonly orders: RunOrders,
    private readonly queries: RunQueries,
    private readonly retries: RunRetries,
    private readonly threads: ThreadOrders,
  ) {}

  @Post()
  async create(
    @Caller() caller: CallerOf,
    @Body({ schema: CreateRunBody }) body: z.infer<typeof CreateRunBody>,
    @IdempotencyKey() key: string | undefined,
  ) {
    const project = await projectFor(caller, body, this.threads);
    return { runId: await this.orders.start(caller, { ...body, ...project }, key) };
  }

  @Get(':id')
  detail(@Caller() { tenantId }: CallerOf, @Param({ schema: RunParams }) { id: runId }: Run) {
    return this.queries.detail({ tenantId, runId });
  }

  @Get(':id/events')
  events(
    @Caller() { tenantId }: CallerOf,
    @Param({ schema: RunParams }) { id: runId }: Run,
    @Query({ schema: EventsQuery }) { fromSeq, limit }: z.infer<typeof EventsQuery>,
  ) {
    return this.queries.events({ tenantId, runId }, fromSeq, limit);
  }

  @Get(':id/steps')
  async steps(@Caller() { tenantId }: CallerOf, @Param({ schema: RunParams }) { id: runId }: Run) {
    return { steps: await this.queries.steps({ tenantId, runId }) };
  }

  @Get(':id/messages')
  async messages(@Caller() { tenantId }: CallerOf, @Param({ schema: RunParams }) { id: runId }: Run) {
    return { messages: await this.queries.messages({ tenantId, runId }) };
  }

  @Get(':id/trail')
  async trail(@Caller() { tenantId }: CallerOf, @Param({ schema: RunParams }) { id: runId }: Run) {
    return { trail: await this.queries.trail({ tenantId, runId }) };
  }

  @Get(':id/logs')
  async logs(@Caller() { tenantId }: CallerOf, @Param({ schema: RunParams }) { id: runId }: Run) {
    return { logs: await this.queries.logs({ tenantId, runId }) };
  }

  @Get(':id/improvement')
  improvement(@Caller() { tenantId }: CallerOf, @Param({ schema: RunParams }) { id: runId }: Run) {
    return this.retries.improvement({ tenantId, runId });
  }

  @Post(':id/cancel')
  @HttpCode(200)
  async cancel(
    @Caller() caller: CallerOf,
    @Param({ schema: RunParams }) { id }: Run,
    @Body({ schema: optional(CommandBody) }) { reason }: Reason,
  ) {
    return { status: await this.orders.cancel(caller, id, reason) };
  }

  @Post(':id/pause')
  @HttpCode(200)
  async pause(
    @Caller() caller: CallerOf,
    @Param({ schema: RunParams }) { id }: Run,
    @Body({ schema: optional(CommandBody) }) { reason }: Reason,
  ) {
    return { status: await this.orders.pause(caller, id, reason) };
  }

  @Post(':id/resume')
  @HttpCode(200)
  async resume(
    @Caller() caller: CallerOf,
    @Param({ schema: RunParams }) { id }: Run,
    @Body({ schema: optional(CommandBody) }) { reason }: Reason,
  ) {
    return { status: await this.orders.resume(caller, id, reason) };
  }

  @Post(':id/inputs/:requestId')
  @HttpCode(200)
  async answer(
    @Caller() caller: CallerOf,
    @Param({ schema: RunInputParams }) { id, requestId }: z.infer<typeof RunInputParams>,
    @Body({ schema: AnswerBody }) { response }: z.infer<typeof AnswerBody>,
  ) {
    return { status: await this.orders.answer(caller, id, requestId, response) };
  }

  @Post(':id/done')
  @HttpCode(200)
  async done(
    @Caller() caller: CallerOf,
    @Param({ schema: RunParams }) { id }: Run,
    @Body({ schema: optional(DoneBody) }) { note }: z.infer<typeof DoneBody>,
  ) {
    return { status: await this.orders.done(caller, id, note) };
  }

  @Post(':id/retry')
  retry(
    @Caller() caller: CallerOf,
    @Param({ schema: RunParams }) { id }: Run,
    @Body({ schema: optional(RetryBody) }) { note }: z.infer<typeof RetryBody>,
    @IdempotencyKey() key: string | undefined,
  ) {
    return this.retries.retry(caller, id, note, key);
  }
}
