import type { EntityManager, EntitySchema } from '@mikro-orm/postgresql';
import type { RunStatus } from '@millrace/contracts';
import type {
  CheckpointRow,
  DeadLetterRow,
  InputRequestRow,
  MessageRow,
  RunLogRow,
  RunRow,
  RunRows,
  StepRow,
  ThreadRow,
  ToolCallRow,
  TrailRow,
} from '@millrace/run-views';
import type { Database } from './database.js';
import { CheckpointEntity } from './entities/checkpoint.entity.js';
import { DeadLetterEntity } from './entities/dead-letter.entity.js';
import { InputRequestEntity } from './entities/input-request.entity.js';
import { MessageEntity } from './entities/message.entity.js';
import { RunEntity } from './entities/run.entity.js';
import { RunLogEntity } from './entities/run-log.entity.js';
import { StepEntity } from './entities/step.entity.js';
import { ThreadEntity } from './entities/thread.entity.js';
import { ToolCallEntity } from './entities/tool-call.entity.js';
import { TrailEntity } from './entities/trail.entity.js';
import { rowsOf, type Selection } from './rows-of.js';
import { placeIn, runCursor } from './run-cursor.js';

export interface RunFilters {
  readonly status?: RunStatus;
  readonly agent?: string;
  readonly threadId?: string;
  readonly userId?: string;
  readonly projectId?: string;
  /** Inclusive. */
  readonly createdFrom?: string;
  /** Exclusive. */
  readonly createdBefore?: string;
  readonly limit?: number;
}

export interface RunPage {
  readonly runs: readonly RunRow[];
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** The rows of one tenant. Each call names the tenant to the database, which shows no other's rows to it. */
export class RunReader {
  constructor(private readonly database: Database) {}

  async get(tenantId: string, runId: string): Promise<RunRow | undefined> {
    const [run] = await this.#read<RunRow>(tenantId, RunEntity, { runId });
    return run;
  }

  /**
   * All there is about one run, as it stood at one moment. The tables are locked (against being swapped, not against
   * writers) before that moment is chosen: of a table that is put in place later it would see nothing.
   */
  async rows(tenantId: string, runId: string): Promise<RunRows> {
    return this.database.transaction(async (em) => {
      await em.execute('set transaction isolation level repeatable read, read only');
      await em.execute(`lock table ${RUN_TABLES.join(', ')} in access share mode`);
      await em.execute(`select set_config('app.current_tenant_id', ?, true)`, [tenantId]);
      const all = <Row extends object>(entity: EntitySchema, ...then: string[]) =>
        rowsOf<Row>(em, entity, { tenantId, runId }, inOrderOf('position', ...then));
      const [run] = await rowsOf<RunRow>(em, RunEntity, { tenantId, runId });
      const [deadLetter] = await all<DeadLetterRow>(DeadLetterEntity);
      return {
        run,
        steps: await all<StepRow>(StepEntity, 'place'),
        messages: await all<MessageRow>(MessageEntity),
        toolCalls: await all<ToolCallRow>(ToolCallEntity),
        inputRequests: await all<InputRequestRow>(InputRequestEntity),
        logs: await all<RunLogRow>(RunLogEntity),
        trail: await all<TrailRow>(TrailEntity),
        checkpoints: await all<CheckpointRow>(CheckpointEntity),
        deadLetter,
      };
    });
  }

  /**
   * The newest first. Paging shows every run that was there when it began exactly once, whatever is added meanwhile:
   * neither part of a run's place in the order ever changes.
   */
  async list(tenantId: string, filters: RunFilters = {}, cursor?: string): Promise<RunPage> {
    const { limit = 50 } = filters;
    const where = { tenantId, $and: [...wanted(filters), ...(cursor === undefined ? [] : behind(cursor, tenantId))] };
    const order = { orderBy: { createdAt: 'desc', runId: 'desc' }, limit: limit + 1 } as const;
    const runs = await this.#as(tenantId, (em) => rowsOf<RunRow>(em, RunEntity, where, order));
    const page = runs.slice(0, limit);
    const last = runs.length > limit ? page.at(-1) : undefined;
    return { runs: page, nextCursor: last && runCursor(tenantId, last) };
  }

  steps(tenantId: string, runId: string): Promise<StepRow[]> {
    return this.#read(tenantId, StepEntity, { runId }, 'position', 'place');
  }
  messages(tenantId: string, runId: string): Promise<MessageRow[]> {
    return this.#read(tenantId, MessageEntity, { runId }, 'position');
  }
  toolCalls(tenantId: string, runId: string): Promise<ToolCallRow[]> {
    return this.#read(tenantId, ToolCallEntity, { runId }, 'position');
  }
  inputRequests(tenantId: string, runId: string): Promise<InputRequestRow[]> {
    return this.#read(tenantId, InputRequestEntity, { runId }, 'position');
  }
  logs(tenantId: string, runId: string): Promise<RunLogRow[]> {
    return this.#read(tenantId, RunLogEntity, { runId }, 'position');
  }
  trail(tenantId: string, runId: string): Promise<TrailRow[]> {
    return this.#read(tenantId, TrailEntity, { runId }, 'position');
  }
  checkpoints(tenantId: string, runId: string): Promise<CheckpointRow[]> {
    return this.#read(tenantId, CheckpointEntity, { runId }, 'position');
  }
  async deadLetter(tenantId: string, runId: string): Promise<DeadLetterRow | undefined> {
    const [letter] = await this.#read<DeadLetterRow>(tenantId, DeadLetterEntity, { runId });
    return letter;
  }
  async thread(tenantId: string, threadId: string): Promise<ThreadRow | undefined> {
    const [thread] = await this.#read<ThreadRow>(tenantId, ThreadEntity, { threadId });
    return thread;
  }

  #read<Row extends object>(
    tenantId: string,
    entity: EntitySchema,
    where: object,
    ...columns: string[]
  ): Promise<Row[]> {
    return this.#as(tenantId, (em) => rowsOf<Row>(em, entity, { tenantId, ...where }, inOrderOf(...columns)));
  }

  #as<T>(tenantId: string, work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.database.transaction(async (em) => {
      await em.execute(`select set_config('app.current_tenant_id', ?, true)`, [tenantId]);
      return work(em);
    });
  }
}

const RUN_TABLES = [
  ...[RunEntity, StepEntity, MessageEntity, ToolCallEntity, InputRequestEntity],
  ...[RunLogEntity, TrailEntity, CheckpointEntity, DeadLetterEntity],
].map((entity) => `"${entity.meta.tableName}"`);

const inOrderOf = (...columns: string[]): Selection => ({
  orderBy: Object.fromEntries(columns.map((column) => [column, 'asc' as const])),
});

const wanted = ({ createdFrom, createdBefore, ...filters }: RunFilters): object[] => [
  ...WHOLE.flatMap((column) => (filters[column] === undefined ? [] : [{ [column]: filters[column] }])),
  ...(createdFrom === undefined ? [] : [{ createdAt: { $gte: createdFrom } }]),
  ...(createdBefore === undefined ? [] : [{ createdAt: { $lt: createdBefore } }]),
];

/** Filters that compare one column with one value. */
const WHOLE = ['status', 'agent', 'threadId', 'userId', 'projectId'] as const;

/** The first condition says no more than the second, but an index can begin with it. */
function behind(cursor: string, tenantId: string): object[] {
  const { createdAt, runId } = placeIn(cursor, tenantId);
  return [{ createdAt: { $lte: createdAt } }, { $or: [{ createdAt: { $lt: createdAt } }, { runId: { $lt: runId } }] }];
}
