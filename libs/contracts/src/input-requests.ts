import { z } from 'zod';
import { Name } from './ids.js';

const Files = z.array(z.looseObject({ name: z.string().optional(), mediaType: z.string().optional() })).optional();

/** What a node may ask a person or a client for, and wait without holding anything. */
export const InputRequest = z.discriminatedUnion('type', [
  z.object({ type: z.literal('waitForInput'), prompt: z.string().optional(), schema: z.unknown().optional() }),
  z.object({
    type: z.literal('waitForChoice'),
    prompt: z.string().optional(),
    choices: z.array(z.object({ id: z.string().min(1), label: z.string().optional() })).min(1),
  }),
  z.object({ type: z.literal('readGraph') }),
  z.object({ type: z.literal('inspectNode'), nodeId: z.string().min(1) }),
  z.object({ type: z.literal('applyEdits'), edits: z.array(z.unknown()), label: z.string().optional() }),
  z.object({ type: z.literal('queryConsent'), question: z.string().min(1), scope: z.string().optional() }),
  z.object({ type: z.literal('toolApproval'), toolUseId: z.string().min(1), tool: Name, input: z.unknown() }),
]);
export type InputRequest = z.infer<typeof InputRequest>;
export type InputRequestType = InputRequest['type'];

/** The answer each kind of request takes. */
export const INPUT_RESPONSES = {
  waitForInput: z.looseObject({ text: z.string(), files: Files }),
  waitForChoice: z.looseObject({ choice: z.string().min(1) }),
  readGraph: z.looseObject({ graph: z.unknown() }),
  inspectNode: z.looseObject({ node: z.unknown() }),
  applyEdits: z.looseObject({ applied: z.boolean(), error: z.string().optional() }),
  queryConsent: z.looseObject({ consent: z.boolean() }),
  toolApproval: z
    .looseObject({
      decision: z.enum(['approve', 'reject', 'edit']),
      input: z.unknown().optional(),
      reason: z.string().optional(),
    })
    // The tool is called with what the person made of its input, and must not be called with nothing.
    .refine(({ decision, input }) => decision !== 'edit' || input !== undefined, {
      path: ['input'],
      error: 'An edit says what the input becomes',
    }),
} as const satisfies Record<InputRequestType, z.ZodType>;

export type InputResponse<T extends InputRequestType = InputRequestType> = z.infer<(typeof INPUT_RESPONSES)[T]>;
