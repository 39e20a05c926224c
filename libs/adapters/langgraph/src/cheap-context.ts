import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import type { RunnableConfig } from '@langchain/core/runnables';
import { RUN } from './langgraph-internals.js';

let isInstalled = false;

/**
 * LangChain builds a tracing tree for every call of a runnable, also with tracing off: a quarter of the time a shadow
 * takes. A shadow only needs its config to be found. All other graphs of the process are left as they are.
 */
export const installCheapContext = (): void => {
  if (isInstalled) return;
  isInstalled = true;
  const provider = AsyncLocalStorageProviderSingleton;
  const original = provider.runWithConfig.bind(provider);
  provider.runWithConfig = <T>(config: RunnableConfig | undefined, callback: () => T, avoidRootTree?: boolean): T => {
    if (config?.configurable?.[RUN] === undefined) return original(config, callback, avoidRootTree);
    return provider.getInstance().run<T>({ extra: { [CHILD_CONFIG]: config } }, callback);
  };
};

const CHILD_CONFIG = Symbol.for('lc:child_config');
