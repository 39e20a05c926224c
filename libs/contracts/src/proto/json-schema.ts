import { z } from 'zod';
import { schemaOf, type RunEventKind } from '../events/run-event.js';
import { ThreadCreated } from '../events/thread-event.js';
import { eventFixture, THREAD_CREATED_FIXTURE } from '../fixtures.js';
import { classify } from '../classification.js';
import { AgentEvent } from '../wire/agent-event.js';
import { THREAD_FRAMES } from '../wire/thread-frame.js';

export type JsonObject = { readonly [key: string]: unknown };

/** Beside the schema of its fields, a kind says who sees it and how it looks. */
export const jsonSchemaOf = (kind: RunEventKind): JsonObject => {
  const { visibility, persistence } = classify({ kind });
  return {
    ...draft7(schemaOf(kind)),
    title: kind,
    'x-visibility': visibility,
    'x-persistence': persistence,
    examples: [eventFixture(kind)],
  };
};

export const threadCreatedJsonSchema = (): JsonObject => ({
  ...draft7(ThreadCreated),
  title: 'ThreadCreated',
  'x-visibility': 'internal',
  'x-persistence': 'sync',
  examples: [THREAD_CREATED_FIXTURE],
});

/** What a stream of the agent dialect sends as `data:`. */
export const agentEventJsonSchema = (): JsonObject => ({ ...draft7(AgentEvent), title: 'AgentEvent' });

/** What a stream of the thread dialect sends as `data:`, by its `event:`. */
export const threadFramesJsonSchema = (): JsonObject => ({ ...draft7(z.object(THREAD_FRAMES)), title: 'ThreadFrames' });

/** As OpenAPI 3.1 takes it. */
export const plainSchemaOf = (schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonObject => {
  const { $schema: _, '~standard': __, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
};

/**
 * Draft 7 is what AsyncAPI reads without further notice. The input side, because fields nobody knows yet are allowed:
 * a reader that refuses them would break with the next release.
 */
const draft7 = (schema: z.ZodType): JsonObject => ({ ...z.toJSONSchema(schema, { target: 'draft-7', io: 'input' }) });
