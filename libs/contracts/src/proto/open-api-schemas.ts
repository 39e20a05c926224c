import { z } from 'zod';
import { isPublic } from '../classification.js';
import { schemaOf } from '../events/run-event.js';
import { eventFixture } from '../fixtures.js';
import { Problem } from '../http/problem.http.js';
import { RunSummary } from '../http/run-list.http.js';
import { RunDetail } from '../http/run-reads.http.js';
import { INPUT_RESPONSES } from '../input-requests.js';
import { RUN_EVENT_KINDS } from '../kinds.js';
import { RunStatus } from '../run-status.js';
import { type JsonObject, plainSchemaOf } from './json-schema.js';

/** What has a name of its own in the document; an answer that is one of them refers to it. */
const SHARED = { Problem, RunStatus, RunSummary, RunDetail };

export const sharedSchemas = (): JsonObject => ({
  ...Object.fromEntries(Object.entries(SHARED).map(([name, schema]) => [name, plainSchemaOf(schema)])),
  ...Object.fromEntries(PUBLIC_KINDS.map((kind) => [kind, eventSchema(kind)])),
  RunEvent: {
    description: 'An event of a run. There may be kinds one does not know yet: they count, and mean nothing.',
    oneOf: PUBLIC_KINDS.map(refTo),
    discriminator: { propertyName: 'kind' },
  },
  ...Object.fromEntries(RESPONSES.map(([type, schema]) => [responseName(type), responseSchema(type, schema)])),
  InputResponse: {
    description: 'The answer to a request for input; the type of the request says which of these it must be.',
    anyOf: RESPONSES.map(([type]) => refTo(responseName(type))),
  },
});

export const referenceTo = (schema: z.ZodType): JsonObject => {
  const [name] = Object.entries(SHARED).find(([, shared]) => shared === schema) ?? [];
  // The input side of an answer too: fields nobody knows yet are allowed in it.
  return name === undefined ? plainSchemaOf(schema) : refTo(name);
};

const refTo = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

const PUBLIC_KINDS = RUN_EVENT_KINDS.filter((kind) => isPublic({ kind }));

const eventSchema = (kind: (typeof PUBLIC_KINDS)[number]): JsonObject => ({
  ...plainSchemaOf(schemaOf(kind)),
  examples: [eventFixture(kind)],
});

const RESPONSES = Object.entries<z.ZodType>(INPUT_RESPONSES);

/** `waitForInput` is answered with a `WaitForInputResponse`. */
const responseName = (type: string): string => `${type.charAt(0).toUpperCase()}${type.slice(1)}Response`;

const responseSchema = (type: string, schema: z.ZodType): JsonObject => ({
  ...plainSchemaOf(schema),
  description: `Answers a request of the type \`${type}\`.`,
});
