import { Annotation, type StateGraph } from '@langchain/langgraph';
import type { CompiledGraph } from '@millrace/agent-sdk';

/** A graph that must behave the same whether it runs in one process or is played from a log. */
export interface Exhibit {
  readonly graph: CompiledGraph;
  readonly input: unknown;
  /** What people say when it asks them. */
  readonly answer?: (question: unknown) => unknown;
  /** LangGraph itself lets the result depend on which of two nodes failed first. */
  readonly orderTells?: boolean;
}

export const listOf = <T>() => Annotation<T[]>({ reducer: (left, right) => left.concat(right), default: () => [] });

export const Log = Annotation.Root({
  log: listOf<string>(),
  n: Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
  topic: Annotation<string>,
});
export type LogState = typeof Log.State;

/** Says its name and the count it was given, and counts one. */
export const aNode =
  (name: string) =>
  async ({ n }: { n: number }) => ({ log: [`${name}(${n})`], n: 1 });

type Cache = NonNullable<NonNullable<Parameters<StateGraph<unknown>['compile']>[0]>['cache']>;

export const aCache = (): Cache => {
  const kept = new Map<string, unknown>();
  return {
    get: async (keys: unknown[]) =>
      keys.flatMap((key) => (kept.has(JSON.stringify(key)) ? [{ key, value: kept.get(JSON.stringify(key)) }] : [])),
    set: async (pairs: { key: unknown; value: unknown }[]) => {
      for (const { key, value } of pairs) kept.set(JSON.stringify(key), value);
    },
    clear: async () => kept.clear(),
  } as unknown as Cache;
};
