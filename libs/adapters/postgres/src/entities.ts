import { CheckpointEntity } from './entities/checkpoint.entity.js';
import { DeadLetterEntity } from './entities/dead-letter.entity.js';
import { InputRequestEntity } from './entities/input-request.entity.js';
import { MessageEntity } from './entities/message.entity.js';
import { ProjectionPoison } from './entities/projection-poison.entity.js';
import { ProjectionPosition } from './entities/projection-position.entity.js';
import { RunEntity } from './entities/run.entity.js';
import { RunLogEntity } from './entities/run-log.entity.js';
import { StepEntity } from './entities/step.entity.js';
import { ThreadEntity } from './entities/thread.entity.js';
import { ToolCallEntity } from './entities/tool-call.entity.js';
import { TrailEntity } from './entities/trail.entity.js';

/** Folds of the log, and nothing else: dropped and projected again, they hold the same rows. */
const FOLDS = [
  ProjectionPoison,
  RunEntity,
  StepEntity,
  MessageEntity,
  ToolCallEntity,
  InputRequestEntity,
  RunLogEntity,
  TrailEntity,
  CheckpointEntity,
  DeadLetterEntity,
  ThreadEntity,
];

/** Every table there is; a spec compares this list with what the migrations make. */
export const ENTITIES = [ProjectionPosition, ...FOLDS];

export const FOLDED_TABLES = FOLDS.map((entity) => entity.meta.tableName);

/** For grants. What the projector set aside is shown to nobody. */
export const TABLES = ENTITIES.map((entity) => ({
  name: entity.meta.tableName,
  isShown: entity !== ProjectionPoison,
}));
