import { type Caller as CallerOf, RunOrders } from '@millrace/application';
import { AgentInputBody, AgentRunParams, CommandBody, StartAgentBody } from '@millrace/contracts';
import { Caller, IdempotencyKey } from '@millrace/nest-kit/http';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import type { z } from 'zod';
import { optional } from './optional-body.js';

type Run = z.infer<typeof AgentRunParams>;

@Controller('api/agent')
export class AgentController {
  constructor(private readonly orders: RunOrders) {}

  @Post('run')
  async run(
    @Caller() caller: CallerOf,
    @Body({ schema: StartAgentBody }) { agent, input }: z.infer<typeof StartAgentBody>,
    @IdempotencyKey() key: string | undefined,
  ) {
    return { runId: await this.orders.start(caller, { agent, input }, key) };
  }

  @Post(':runId/input')
  @HttpCode(200)
  async input(
    @Caller() caller: CallerOf,
    @Param({ schema: AgentRunParams }) { runId }: Run,
    @Body({ schema: AgentInputBody }) { requestId, response }: z.infer<typeof AgentInputBody>,
  ) {
    return { status: await this.orders.answer(caller, runId, requestId, response) };
  }

  @Post(':runId/abort')
  @HttpCode(200)
  async abort(
    @Caller() caller: CallerOf,
    @Param({ schema: AgentRunParams }) { runId }: Run,
    @Body({ schema: optional(CommandBody) }) { reason }: z.infer<typeof CommandBody>,
  ) {
    return { status: await this.orders.cancel(caller, runId, reason) };
  }
}
