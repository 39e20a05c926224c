import { Name } from '@millrace/contracts';
import { z } from 'zod';

const Part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string().min(1) }),
  z.object({ type: z.literal('thought'), text: z.string().min(1) }),
  z.object({ type: z.literal('toolCall'), name: Name, input: z.unknown(), id: z.string().min(1).optional() }),
]);
export type ScriptPart = z.infer<typeof Part>;

const Failure = z.strictObject({
  /** How much of the answer is said first: words of texts and thoughts, and tool calls. */
  afterTokens: z.int().nonnegative().default(0),
  message: z.string().min(1).default('The script says that the model fails here'),
  retryable: z.boolean().default(true),
  /** Only the first so many calls fail. Each process counts its own. */
  times: z.int().positive().optional(),
});

const Turn = z.strictObject({
  /** A string is short for a text. */
  says: z.array(
    z.union([
      z
        .string()
        .min(1)
        .transform((text) => ({ type: 'text' as const, text })),
      Part,
    ]),
  ),
  /** 0 is as fast as it goes. */
  tokensPerSecond: z.number().nonnegative().default(0),
  fails: Failure.optional(),
  /** Without one: `tool_use` when the turn ends by calling tools, else `end_turn`. */
  stopReason: z.string().min(1).optional(),
});
export type ScriptTurn = z.infer<typeof Turn>;

/**
 * What a model says, as data: it can lie in a file, or travel in a run's input. Which turn answers a request is read
 * from the request (how often the model has spoken in it), so every process gives the same answer.
 */
export const LlmScript = z.strictObject({ turns: z.array(Turn).min(1) });
export type LlmScript = z.infer<typeof LlmScript>;
/** As it is written, before defaults are filled in. */
export type WrittenScript = z.input<typeof LlmScript>;

const INLINE = 'scripted:';

/** The name of a model that carries its own script, for an agent that is told in its input what its model will say. */
export const scriptedModel = (script: WrittenScript): string => `${INLINE}${JSON.stringify(script)}`;

/** The script inside a model's name, still to be parsed; undefined when the name is only a name. */
export const scriptIn = (model: string): string | undefined =>
  model.startsWith(INLINE) ? model.slice(INLINE.length) : undefined;
