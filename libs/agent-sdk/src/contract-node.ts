import { isRunEventKind, KINDS, Name, type RunEventKind } from '@millrace/contracts';
import { z } from 'zod';
import { DefinitionInvalid, problemsOf } from './definition-invalid.js';
import type { NodeContext } from './node-context.js';

/** A node that says what it takes, what it gives and what it may say. */
export interface ContractNode<Input = never, Output = unknown> {
  readonly name: string;
  /** Of `Input`: defineNode holds the two together, so that nodes of every input fit into one record. */
  readonly inputSchema: z.ZodType;
  readonly outputSchema: z.ZodType<Output>;
  /** What it needs of the world: a node that names no tool cannot call one. */
  readonly ports: readonly NodePort[];
  /**
   * The kinds it says in its own words. What a port says for it comes with the port (`llm` brings TokenDelta and
   * ThoughtDelta, a tool its ToolRequested and ToolFinished), and NodeStarted and NodeFinished are said of every node:
   * they may be listed and need not be.
   */
  readonly emittedEvents: readonly RunEventKind[];
  run(input: Input, context: NodeContext): Promise<Output>;
}

/** `input` is for suspend. `telemetry` may be named and is always there: what is said through it is checked by kind. */
export type NodePort = 'llm' | 'input' | 'step' | 'telemetry' | `tool:${string}`;

export const defineNode = <Input, Output>(
  node: ContractNode<Input, Output> & { readonly inputSchema: z.ZodType<Input> },
): ContractNode<Input, Output> => {
  const parsed = ContractNodeShape.safeParse(node);
  if (!parsed.success) throw new DefinitionInvalid(`Node ${node.name}`, problemsOf(parsed.error));
  return node;
};

export const aFunction = z.custom((value) => typeof value === 'function', 'must be a function');

export const aZodSchema = z.custom(
  (value) => typeof value === 'object' && value !== null && 'safeParseAsync' in value,
  'must be a zod schema',
);

/** What the compiler cannot see: names and kinds, and nodes that were written in JavaScript. */
export const ContractNodeShape = z.object({
  name: Name,
  inputSchema: aZodSchema,
  outputSchema: aZodSchema,
  ports: z.array(
    z.string().regex(/^(llm|input|step|telemetry|tool:.+)$/, 'must be llm, input, step, telemetry or tool:<name>'),
  ),
  emittedEvents: z.array(z.string().refine(isSaidByNodes, 'must be a kind of event that nodes emit')),
  run: aFunction,
});

function isSaidByNodes(kind: string): boolean {
  return isRunEventKind(kind) && (KINDS[kind].appendedBy as readonly string[]).includes('node-workers');
}
