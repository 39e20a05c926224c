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
import { rowsByKey } from './rows-by-key.js';

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
    const runs = await this.#stored<RunRow>(RunEntity, touched, ({ run }) => [run]);
    const begun = touched.filter(({ run }) => runs.has(runKeyOf(run))); // of a run that is new there is nothing else
    const steps = await this.#stored<StepRow>(StepEntity, begun, ({ run: { tenantId, runId }, keys }) =>
      keys.taskKeys.map((taskKey) => ({ tenantId, runId, taskKey })),
    );
    const calls = await this.#stored<ToolCallRow>(ToolCallEntity, begun, ({ run: { tenantId, runId }, keys }) =>
      keys.toolUseIds.map((toolUseId) => ({ tenantId, runId, toolUseId })),
    );
    const asked = await this.#stored<InputRequestRow>(InputRequestEntity, begun, ({ run: { tenantId, runId }, keys }) =>
      keys.requestIds.map((requestId) => ({ tenantId, runId, requestId })),
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

  async #stored<Row extends RunKey>(
    entity: EntitySchema,
    touched: readonly Touched[],
    keysIn: (touched: Touched) => readonly object[],
  ): Promise<ReadonlyMap<string, Row[]>> {
    return Map.groupBy(await rowsByKey<Row>(this.em, entity, touched.flatMap(keysIn)), runKeyOf);
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

const present = <T>(values: readonly (T | undefined)[]): T[] => values.filter((value) => value !== undefined);
