import { AgentQueries } from '@millrace/application';
import { AgentParams, AgentsQuery, AgentVersionParams } from '@millrace/contracts';
import { Controller, Get, Param, Query } from '@nestjs/common';
import type { z } from 'zod';

@Controller('agents/catalogue')
export class CatalogueController {
  constructor(private readonly agents: AgentQueries) {}

  @Get()
  list(@Query({ schema: AgentsQuery }) { limit, cursor }: AgentsQuery) {
    return this.agents.list(limit, cursor);
  }

  @Get(':agent')
  detail(@Param({ schema: AgentParams }) { agent }: z.infer<typeof AgentParams>) {
    return this.agents.detail(agent);
  }

  @Get(':agent/versions/:version')
  version(@Param({ schema: AgentVersionParams }) { agent, version }: z.infer<typeof AgentVersionParams>) {
    return this.agents.detail(agent, version);
  }
}
