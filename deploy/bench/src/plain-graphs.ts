import { AGENTS } from './service-process.js';

/** The same graphs by LangGraph alone, in this process, with nothing stored. */
export const plainGraph = async (name: 'two' | 'loop' | 'chain' | 'fan'): Promise<PlainGraph> =>
  ((await import(AGENTS)) as Record<typeof name, PlainGraph>)[name];

export interface PlainGraph {
  invoke(input: unknown, config?: { readonly recursionLimit: number }): Promise<unknown>;
}
