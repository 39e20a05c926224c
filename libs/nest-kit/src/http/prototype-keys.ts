/** Almost no body has one, so almost none is searched. A name may be spelled with escapes. */
export const mayHavePrototypeKey = (body: Buffer): boolean =>
  ['__proto__', 'constructor', '\\u'].some((text) => body.includes(text));

/**
 * Where a value has a field that JavaScript itself gives a meaning to: whoever copies such a value field by field changes
 * what all objects inherit. Level by level, like {@link nestingExceeds}, and no deeper than `levels`.
 */
export const prototypeKeyIn = (value: unknown, levels: number): string | undefined => {
  let level: readonly Place[] = [{ path: [], value }];
  for (let depth = 0; level.length > 0 && depth <= levels; depth += 1) {
    for (const place of level) {
      const key = poisonousKeyOf(place.value);
      if (key !== undefined) return [...place.path, key].join('.');
    }
    level = level.flatMap(fieldsOf);
  }
  return undefined;
};

interface Place {
  readonly path: readonly string[];
  readonly value: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object';

const poisonousKeyOf = (value: unknown): string | undefined => {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, '__proto__')) return '__proto__';
  const made = Object.hasOwn(value, 'constructor') ? value['constructor'] : undefined;
  return isObject(made) && Object.hasOwn(made, 'prototype') ? 'constructor.prototype' : undefined;
};

const fieldsOf = ({ path, value }: Place): Place[] =>
  isObject(value) ? Object.entries(value).map(([key, field]) => ({ path: [...path, key], value: field })) : [];
