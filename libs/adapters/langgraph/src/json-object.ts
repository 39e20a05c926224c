export type JsonObject = Record<string, unknown>;

export const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sets a field whatever its name: by assignment `__proto__` would change what the object is. */
export const put = (record: JsonObject, key: string, value: unknown): void => {
  if (key !== '__proto__') record[key] = value;
  else Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
};
