import type { AgentDefinition } from '@millrace/agent-sdk';
import type { GraphStart } from '@millrace/ports';
import { z } from 'zod';
import { asError, InputRefused } from './graph-errors.js';
import { decode, encode } from './value-codec.js';

/** The state a graph begins with, made from the run's input. A copy: what the graph does to it stays in the graph. */
export const graphInputOf = async (definition: AgentDefinition, start: GraphStart): Promise<unknown> => {
  const { inputSchema, toState } = definition;
  const parsed = inputSchema ? await inputSchema.safeParseAsync(start.input) : undefined;
  if (parsed && !parsed.success) throw new InputRefused(z.prettifyError(parsed.error), { cause: parsed.error });
  const input: unknown = parsed ? parsed.data : start.input;
  try {
    return decode(encode(toState ? toState(input, start.seedState, start.improvement) : input));
  } catch (cause) {
    throw new InputRefused(asError(cause).message, { cause });
  }
};
