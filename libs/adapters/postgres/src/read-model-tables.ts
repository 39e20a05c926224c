import type { EntityManager, EntitySchema } from '@mikro-orm/postgresql';
import type {
  InputRequestRow,
  RunKey,
  RunRow,
  RunRows,
  StepRow,
  ThreadRow,
  ToolCallRow,
  TouchedKeys,
} from '@millrace/run-views';
import { CheckpointEntity } from './entities/checkpoint.entity.js';
import { DeadLetterEntity } from './entities/dead-letter.entity.js';
import { InputRequestEntity } from './entities/input-request.entity.js';
import { MessageEntity } from './entities/message.entity.js';
import { ProjectionPoison } from './entities/projection-poison.entity.js';
import { RunEntity } from './entities/run.entity.js';
import { RunLogEntity } from './entities/run-log.entity.js';
import { StepEntity } from './entities/step.entity.js';
import { ThreadEntity } from './entities/thread.entity.js';
import { ToolCallEntity } from './entities/tool-call.entity.js';
import { TrailEntity } from './entities/trail.entity.js';
import { rowsOf } from './rows-of.js';

export interface Poison {
  readonly projection: string;
  readonly streamSequence: number;
  readonly tenantId: string | null;
  readonly runId: string | null;
  readonly what: string;
  readonly reason: string;
  readonly recordedAt: string;
}

type KnownRows = Pick<RunRows, 'run' | 'steps' | 'toolCalls' | 'inputRequests'>;

/** The tables as the projector uses them, inside the transaction that moves its position. */
export class ReadModelTables {
  constructor(private readonly em: EntityManager) {}

  /** What is stored of one run, as far as `keys` name it. */
  async known({ tenantId, runId }: RunKey, keys: TouchedKeys): Promise<KnownRows> {
    const run = { tenantId, runId };
    const [stored] = await rowsOf<RunRow>(this.em, RunEntity, run);
    if (stored === undefined) return { run: undefined, steps: [], toolCalls: [], inputRequests: [] };
    const named = <Row extends object>(entity: EntitySchema, column: string, values: readonly string[]) =>
      values.length === 0 ? [] : rowsOf<Row>(this.em, entity, { ...run, [column]: { $in: values } });
    return {
      run: stored,
      steps: await named<StepRow>(StepEntity, 'taskKey', keys.taskKeys),
      toolCalls: await named<ToolCallRow>(ToolCallEntity, 'toolUseId', keys.toolUseIds),
      inputRequests: await named<InputRequestRow>(InputRequestEntity, 'requestId', keys.requestIds),
    };
  }

  /** New and changed rows, of any number of runs: one statement for each table. */
  async write(changes: readonly RunRows[]): Promise<void> {
    await this.#upsert(RunEntity, present(changes.map(({ run }) => run)));
    await this.#upsert(
      StepEntity,
      changes.flatMap(({ steps }) => steps),
    );
    await this.#upsert(
      MessageEntity,
      changes.flatMap(({ messages }) => messages),
    );
    await this.#upsert(
      ToolCallEntity,
      changes.flatMap(({ toolCalls }) => toolCalls),
    );
    await this.#upsert(
      InputRequestEntity,
      changes.flatMap(({ inputRequests }) => inputRequests),
    );
    await this.#upsert(
      RunLogEntity,
      changes.flatMap(({ logs }) => logs),
    );
    await this.#upsert(
      TrailEntity,
      changes.flatMap(({ trail }) => trail),
    );
    await this.#upsert(
      CheckpointEntity,
      changes.flatMap(({ checkpoints }) => checkpoints),
    );
    await this.#upsert(DeadLetterEntity, present(changes.map(({ deadLetter }) => deadLetter)));
  }

  async writeThreads(threads: readonly ThreadRow[]): Promise<void> {
    await this.#upsert(ThreadEntity, threads);
  }

  async writePoison(poison: readonly Poison[]): Promise<void> {
    await this.#upsert(ProjectionPoison, poison);
  }

  async #upsert(entity: EntitySchema, rows: readonly object[]): Promise<void> {
    const primaryKeys: string[] = this.em.getMetadata().get(entity).primaryKeys;
    for (let at = 0; at < rows.length; at += MAX_ROWS) {
      const some = rows.slice(at, at + MAX_ROWS).map((row) => ({ ...row }));
      const insert = this.em.createQueryBuilder<Record<string, unknown>>(entity).insert(some);
      try {
        await insert.onConflict(primaryKeys).merge().execute();
      } catch (error) {
        throw error instanceof Error ? this.em.getDriver().convertException(error) : error; // a query builder does not
      }
    }
  }
}

/** A statement takes 65,535 parameters, and a row has up to 30. */
const MAX_ROWS = 1_000;

const present = <T>(values: readonly (T | undefined)[]): T[] => values.filter((value) => value !== undefined);
