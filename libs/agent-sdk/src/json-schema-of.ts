import type { JsonSchema } from '@millrace/contracts';
import { z } from 'zod';

/**
 * What a schema takes, as JSON Schema: never less than the schema itself takes, since what this refuses is refused before
 * the agent is asked. Undefined for a schema that cannot be said so (of another library, or of an older zod).
 */
export const takenJsonSchema = (schema: z.ZodType | undefined): JsonSchema | undefined =>
  toJsonSchema(schema, { io: 'input', override: widen });

/** What a schema gives. */
export const givenJsonSchema = (schema: z.ZodType | undefined): JsonSchema | undefined =>
  toJsonSchema(schema, { io: 'output' });

const toJsonSchema = (
  schema: z.ZodType | undefined,
  options: Pick<NonNullable<Parameters<typeof z.toJSONSchema>[1]>, 'io' | 'override'>,
): JsonSchema | undefined => {
  if (schema === undefined) return undefined;
  try {
    const { '~standard': _, ...json } = z.toJSONSchema(schema, { ...options, unrepresentable: 'any' });
    return JSON.parse(JSON.stringify(json)) as JsonSchema;
  } catch {
    return undefined; // the agent itself checks what it is given in any case
  }
};

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>;

/** JSON Schema has no word for values that are changed before they are checked: there anything is taken. */
const widen: Override = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (isChangedFirst(zodSchema)) for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword];
  if (def.type === 'string' && rewrites(zodSchema)) {
    for (const keyword of ['minLength', 'maxLength', 'pattern', 'format', 'allOf'] as const) delete jsonSchema[keyword];
  }
  if (def.type === 'object' && jsonSchema.required) {
    jsonSchema.required = jsonSchema.required.filter((key) => {
      const field = def.shape[key];
      return field === undefined || !isChangedFirst(field);
    });
  }
};

type AnySchema = Parameters<Override>[0]['zodSchema'] | z.core.$ZodType;

/** Coerced, preprocessed, or replaced when it is wrong; also behind a wrapper. */
const isChangedFirst = (schema: AnySchema): boolean => {
  const def = schema._zod.def as {
    readonly type: string;
    readonly coerce?: boolean;
    readonly in?: AnySchema;
    readonly innerType?: AnySchema;
  };
  if (def.type === 'catch' || def.coerce === true) return true;
  if (def.type === 'pipe' && def.in) return def.in._zod.def.type === 'transform' || isChangedFirst(def.in);
  return def.innerType !== undefined && isChangedFirst(def.innerType);
};

/** Whether its text is trimmed or otherwise rewritten before its length and pattern are looked at. */
const rewrites = (schema: AnySchema): boolean =>
  (schema._zod.def.checks ?? []).some(({ _zod: { def } }) => def.check === 'overwrite');
