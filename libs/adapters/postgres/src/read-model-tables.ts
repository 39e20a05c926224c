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
import { bulkUpsert } from './bulk-upsert.js';
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
  /** When the log stored it: the same however often it is projected. */
  readonly storedAt: string;
}

export interface Touched {
  readonly run: RunKey;
  readonly keys: TouchedKeys;
}

export type KnownRows = Pick<RunRows, 'run' | 'steps' | 'toolCalls' | 'inputRequests'>;

/** The tables as the projector uses them, inside the transaction that moves its position. */
export class ReadModelTables {
  constructor(private readonly em: EntityManager) {}

  /** What is stored of these runs, as far as their keys name it, by `tenantId.runId`: one query for each table. */
  async known(touched: readonly Touched[]): Promise<ReadonlyMap<string, KnownRows>> {
    const among = (keysOf?: (keys: TouchedKeys) => readonly string[], column = '') => {
      const some = keysOf === undefined ? touched : touched.filter(({ keys }) => keysOf(keys).length > 0);
      return {
        tenantId: { $in: distinct(some.map(({ run }) => run.tenantId)) },
        runId: { $in: distinct(some.map(({ run }) => run.runId)) },
        ...(keysOf === undefined ? {} : { [column]: { $in: distinct(some.flatMap(({ keys }) => keysOf(keys))) } }),
      };
    };
    const rowsIn = async <Row extends RunKey>(entity: EntitySchema, where: ReturnType<typeof among>) =>
      Map.groupBy(where.runId.$in.length === 0 ? [] : await rowsOf<Row>(this.em, entity, where), runKeyOf);
    const runs = await rowsIn<RunRow>(RunEntity, among());
    const steps = await rowsIn<StepRow>(
      StepEntity,
      among(({ taskKeys }) => taskKeys, 'taskKey'),
    );
    const calls = await rowsIn<ToolCallRow>(
      ToolCallEntity,
      among(({ toolUseIds }) => toolUseIds, 'toolUseId'),
    );
    const asked = await rowsIn<InputRequestRow>(
      InputRequestEntity,
      among(({ requestIds }) => requestIds, 'requestId'),
    );
    return new Map(
      touched.map(({ run }) => {
        const key = runKeyOf(run);
        const [stored] = runs.get(key) ?? [];
        const rest = { steps: steps.get(key) ?? [], toolCalls: calls.get(key) ?? [] };
        return [key, { run: stored, ...rest, inputRequests: asked.get(key) ?? [] }];
      }),
    );
  }

  /** New and changed rows, of any number of runs: one statement for each table. */
  async write(changes: readonly RunRows[]): Promise<void> {
    await bulkUpsert(this.em, RunEntity, present(changes.map(({ run }) => run)));
    await bulkUpsert(
      this.em,
      StepEntity,
      changes.flatMap(({ steps }) => steps),
    );
    await bulkUpsert(
      this.em,
      MessageEntity,
      changes.flatMap(({ messages }) => messages),
    );
    await bulkUpsert(
      this.em,
      ToolCallEntity,
      changes.flatMap(({ toolCalls }) => toolCalls),
    );
    await bulkUpsert(
      this.em,
      InputRequestEntity,
      changes.flatMap(({ inputRequests }) => inputRequests),
    );
    await bulkUpsert(
      this.em,
      RunLogEntity,
      changes.flatMap(({ logs }) => logs),
    );
    await bulkUpsert(
      this.em,
      TrailEntity,
      changes.flatMap(({ trail }) => trail),
    );
    await bulkUpsert(
      this.em,
      CheckpointEntity,
      changes.flatMap(({ checkpoints }) => checkpoints),
    );
    await bulkUpsert(this.em, DeadLetterEntity, present(changes.map(({ deadLetter }) => deadLetter)));
  }

  async writeThreads(threads: readonly ThreadRow[]): Promise<void> {
    await bulkUpsert(this.em, ThreadEntity, threads);
  }

  async writePoison(poison: readonly Poison[]): Promise<void> {
    await bulkUpsert(this.em, ProjectionPoison, poison);
  }
}

export const runKeyOf = ({ tenantId, runId }: RunKey): string => `${tenantId}.${runId}`;

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

const present = <T>(values: readonly (T | undefined)[]): T[] => values.filter((value) => value !== undefined);
