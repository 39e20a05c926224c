import { z } from 'zod';
import type { JsonSchema } from './agent-announcement.js';

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

const MOST_PROBLEMS = 20;

/**
 * Says what is wrong with a value, field by field; nothing when the schema takes it. Undefined for a schema that uses what
 * cannot be checked here: then nobody may be refused because of it.
 *
 * `format` is not checked: what an address or a time is, each validator decides a little differently, and a value the
 * agent itself would take must not be refused before it is asked.
 */
export const inputChecker = (schema: JsonSchema, place = 'input'): ((value: unknown) => FieldProblem[]) | undefined => {
  const checked = schemaFrom(schema);
  if (!checked) return undefined;
  return (value) => {
    const parsed = checked.safeParse(value);
    if (parsed.success) return [];
    return parsed.error.issues.flatMap((issue) => problemsIn(issue, value, [place])).slice(0, MOST_PROBLEMS);
  };
};

const schemaFrom = (schema: JsonSchema): z.ZodType | undefined => {
  try {
    return z.fromJSONSchema(withoutFormats(schema) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return undefined; // it says so by throwing, and the caller is told
  }
};

const problemsIn = (issue: z.core.$ZodIssue, value: unknown, place: readonly PropertyKey[]): FieldProblem[] => {
  const path = [...place, ...issue.path];
  const field = path.map(String).join('.');
  const found = valueAt(value, issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: `${field}.${key}`, message: 'is not known here: leave it out' }));
  }
  if (issue.code === 'invalid_union' && found !== undefined) {
    const closest = closestOf(issue.errors);
    if (closest) return closest.flatMap((nested) => problemsIn(nested, found, path));
  }
  if (found !== undefined) return [{ field, message: issue.message }];
  const wanted = issue.code === 'invalid_type' ? `: it must be ${withArticle(issue.expected)}` : '';
  return [{ field, message: `is missing${wanted}` }];
};

/** Of the alternatives of a union, the one the value was probably meant for: where its mistakes lie deepest. */
const closestOf = (alternatives: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined => {
  const depthOf = (issues: readonly z.core.$ZodIssue[]) => Math.min(...issues.map(({ path }) => path.length));
  const [closest, next] = alternatives
    .filter((issues) => issues.length > 0)
    .sort((one, other) => depthOf(other) - depthOf(one));
  if (!closest || (next && depthOf(next) === depthOf(closest))) return undefined; // nobody can tell
  return closest;
};

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown => {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
};

const withArticle = (type: string): string => `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;

const withoutFormats = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutFormats);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => !(keyword === 'format' && typeof value === 'string'))
      .map(([keyword, value]) => [
        keyword,
        SCHEMAS_BY_NAME.has(keyword) ? namedWithout(value) : inKeyword(keyword, value),
      ]),
  );
};

/** Values of these are schemas, or lists of them; of all others, data that may look like one. */
const inKeyword = (keyword: string, value: unknown): unknown => (SCHEMAS.has(keyword) ? withoutFormats(value) : value);

const namedWithout = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, withoutFormats(schema)]))
    : value;

const SCHEMAS_BY_NAME = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const SCHEMAS = new Set([
  ...['items', 'prefixItems', 'additionalItems', 'additionalProperties', 'propertyNames', 'contains', 'not'],
  ...['anyOf', 'oneOf', 'allOf', 'if', 'then', 'else', 'unevaluatedItems', 'unevaluatedProperties'],
]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
