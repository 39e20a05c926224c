import type { RunEvent, Usage } from '@millrace/contracts';

/** What a run has used up, folded from its events. */
export class RunTotals {
  #inputTokens = 0;
  #outputTokens = 0;
  #model: string | undefined;

  evolve(event: RunEvent): void {
    if (event.kind !== 'ModelResponded') return;
    this.#inputTokens += event.usage.inputTokens;
    this.#outputTokens += event.usage.outputTokens;
    this.#model = event.usage.model ?? event.model;
  }

  get usage(): Usage {
    const model = this.#model === undefined ? {} : { model: this.#model };
    return { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens, ...model };
  }
}

const LONGEST_SUMMARY = 500;

/** One line for lists: what the run said in the end, or how far it came. */
export const summaryOf = (output: unknown, stepsCompleted: number): string => {
  const text = isRecord(output) && typeof output['text'] === 'string' ? output['text'].trim() : '';
  return text === '' ? `Finished after ${stepsCompleted} steps.` : text.slice(0, LONGEST_SUMMARY);
};

export const sourcesOf = (output: unknown): string[] => {
  const sources = isRecord(output) ? output['sources'] : undefined;
  return Array.isArray(sources) ? sources.filter((source) => typeof source === 'string') : [];
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
