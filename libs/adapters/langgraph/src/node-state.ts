import { MemorySaver } from '@langchain/langgraph';
import { decode, encode } from './value-codec.js';

/** What a body needs to go on after a wait: LangGraph's own memory of it, nested graphs and finished `task()`s included. */
export class NodeState {
  private constructor(
    readonly threadId: string,
    /** How often the body has waited. */
    readonly waits: number,
    readonly saver: MemorySaver,
  ) {}

  static fresh(threadId: string): NodeState {
    return new NodeState(threadId, 0, new MemorySaver(SERDE));
  }

  static from(state: string): NodeState {
    const { threadId, waits, storage, writes } = decode(state) as Kept;
    return new NodeState(threadId, waits, Object.assign(new MemorySaver(SERDE), { storage, writes }));
  }

  /** As it is after one more wait. */
  keep(): string {
    const { storage, writes } = this.saver;
    const kept: Kept = { threadId: this.threadId, waits: this.waits + 1, storage, writes };
    return encode(kept);
  }

  /** LangGraph gives all questions of one body the same id. Ours say which wait they belong to. */
  requestId(interruptId: string): string {
    return `${this.waits + 1}:${interruptId}`;
  }

  /** The answers to the last wait, by LangGraph's ids. */
  answersOf(answers: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const prefix = `${this.waits}:`;
    return Object.fromEntries(
      Object.entries(answers)
        .filter(([id]) => id.startsWith(prefix))
        .map(([id, answer]) => [id.slice(prefix.length), answer]),
    );
  }
}

interface Kept {
  readonly threadId: string;
  readonly waits: number;
  readonly storage: MemorySaver['storage'];
  readonly writes: MemorySaver['writes'];
}

/** LangGraph's own would turn dates into text and forget what a Command is. */
const SERDE = {
  dumpsTyped: async (value: unknown): Promise<[string, Uint8Array]> => [
    'json',
    new TextEncoder().encode(encode(value)),
  ],
  loadsTyped: async (_type: string, data: Uint8Array | string): Promise<unknown> =>
    decode(typeof data === 'string' ? data : new TextDecoder().decode(data)),
};
