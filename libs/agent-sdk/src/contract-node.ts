import type { RunEventKind } from '@millrace/contracts';
import type { z } from 'zod';
import type { NodeContext } from './node-context.js';

/** A node that says what it takes, what it gives and what it may say. */
export interface ContractNode<Input = never, Output = unknown> {
  readonly name: string;
  readonly inputSchema: z.ZodType<Input>;
  readonly outputSchema: z.ZodType<Output>;
  /** What it needs of the world: a node that names no tool cannot call one. */
  readonly ports: readonly NodePort[];
  readonly emittedEvents: readonly RunEventKind[];
  run(input: Input, context: NodeContext): Promise<Output>;
}

export type NodePort = 'llm' | 'input' | 'step' | `tool:${string}`;
