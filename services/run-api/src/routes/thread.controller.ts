import { type Caller as CallerOf, ThreadOrders } from '@millrace/application';
import { CreateThreadBody, PostMessageBody, ThreadParams } from '@millrace/contracts';
import { Caller, IdempotencyKey } from '@millrace/nest-kit/http';
import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import type { z } from 'zod';
import { optional } from './optional-body.js';

type Thread = z.infer<typeof ThreadParams>;

@Controller('api/threads')
export class ThreadController {
  constructor(private readonly threads: ThreadOrders) {}

  @Post()
  async create(
    @Caller() caller: CallerOf,
    @Body({ schema: optional(CreateThreadBody) }) body: z.infer<typeof CreateThreadBody>,
    @IdempotencyKey() key: string | undefined,
  ) {
    return { threadId: await this.threads.create(caller, body, key) };
  }

  @Get(':id')
  async detail(@Caller() { tenantId }: CallerOf, @Param({ schema: ThreadParams }) { id }: Thread) {
    const { agent, title, projectId, ts } = await this.threads.find(tenantId, id);
    return { id, agent, title, projectId, createdAt: ts };
  }

  @Post(':id/messages')
  async say(
    @Caller() caller: CallerOf,
    @Param({ schema: ThreadParams }) { id }: Thread,
    @Body({ schema: PostMessageBody }) { content, files }: z.infer<typeof PostMessageBody>,
    @IdempotencyKey() key: string | undefined,
  ) {
    const input = { text: content, ...(files ? { files } : {}) };
    return { runId: await this.threads.say(caller, id, { input }, key) };
  }
}
