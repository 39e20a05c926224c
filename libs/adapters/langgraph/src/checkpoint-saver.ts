import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
} from '@langchain/langgraph';
import { RUN } from './langgraph-internals.js';
import { decode, encode } from './value-codec.js';
import { ValueNotPortable } from './value-not-portable.js';

/** What a run keeps of its outermost graph. */
export interface CheckpointKeeper {
  /** Where the graph is to go on from. */
  readonly savedBody: string | undefined;
  isDue(step: number): boolean;
  keep(step: number, body: string): void;
}

interface Saved {
  readonly checkpoint: Checkpoint;
  readonly metadata: CheckpointMetadata;
}

/** Only the newest state at the end of a superstep; the log answers everything else. */
export class CheckpointSaver extends BaseCheckpointSaver {
  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { savedBody } = keeperOf(config);
    if (savedBody === undefined || isNested(config)) return undefined;
    const { checkpoint, metadata } = decode(savedBody) as Saved;
    return { config: namedConfig(config, checkpoint), checkpoint, metadata, pendingWrites: [] };
  }

  async put(config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata): Promise<RunnableConfig> {
    const { source, step } = metadata;
    const keeper = keeperOf(config);
    if (!isNested(config) && keeper.isDue(step)) {
      const body = encodeIfPortable({ checkpoint, metadata: { source, step, parents: {} } });
      if (body !== undefined) keeper.keep(step, body);
    }
    return namedConfig(config, checkpoint);
  }

  async putWrites(): Promise<void> {}

  async *list(): AsyncGenerator<CheckpointTuple> {}

  async deleteThread(): Promise<void> {}
}

/** A checkpoint only shortens a replay: a state no node has to be given may hold what cannot be stored. */
const encodeIfPortable = (saved: Saved): string | undefined => {
  try {
    return encode(saved);
  } catch (error) {
    if (error instanceof ValueNotPortable) return undefined;
    throw error;
  }
};

const keeperOf = ({ configurable }: RunnableConfig): CheckpointKeeper => configurable?.[RUN] as CheckpointKeeper;

const isNested = ({ configurable }: RunnableConfig): boolean => Boolean(configurable?.['checkpoint_ns']);

const namedConfig = ({ configurable }: RunnableConfig, { id }: Checkpoint): RunnableConfig => ({
  configurable: { thread_id: configurable?.['thread_id'] as unknown, checkpoint_ns: '', checkpoint_id: id },
});
