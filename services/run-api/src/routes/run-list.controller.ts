import { CursorInvalid, RunReader } from '@millrace/adapter-postgres';
import { type Caller as CallerOf, summaryOf } from '@millrace/application';
import { type RunsPage, RunsQuery } from '@millrace/contracts';
import { Caller, RequestInvalid } from '@millrace/nest-kit/http';
import { Controller, Get, Query } from '@nestjs/common';

@Controller('agents/runs')
export class RunListController {
  constructor(private readonly runs: RunReader) {}

  /** From the read models alone, so a run just made may be missing from it for a moment. */
  @Get()
  async list(
    @Caller() { tenantId }: CallerOf,
    @Query({ schema: RunsQuery }) { cursor, ...filters }: RunsQuery,
  ): Promise<RunsPage> {
    try {
      const { runs, nextCursor } = await this.runs.list(tenantId, filters, cursor);
      return { runs: runs.map(summaryOf), ...(nextCursor === undefined ? {} : { nextCursor }) };
    } catch (error) {
      if (error instanceof CursorInvalid) {
        throw new RequestInvalid([{ field: 'cursor', message: error.message }], { cause: error });
      }
      throw error;
    }
  }
}
