import { BaseMessage } from '@langchain/core/messages';
import { types } from 'node:util';
import { type JsonObject, put } from './json-object.js';
import { messageToJson } from './message-codec.js';
import { packError } from './node-error.js';

/** Plain JSON for whoever reads a run's output or a question: no way back, and nothing is refused. */
export const toReadable = (value: unknown): unknown => {
  switch (typeof value) {
    case 'bigint':
      return String(value);
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'function':
    case 'symbol':
    case 'undefined':
      return undefined;
    case 'string':
    case 'boolean':
      return value;
    case 'object':
      return value === null ? null : readableObject(value);
  }
};

const readableObject = (value: object): unknown => {
  if (Array.isArray(value)) return Array.from(value, (item) => toReadable(item) ?? null);
  if (BaseMessage.isInstance(value)) return messageToJson(value, (_key, field) => toReadable(field));
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (types.isMap(value)) return fields([...value].map(([key, item]) => [String(key), item]));
  if (types.isSet(value)) return toReadable([...value]);
  if (types.isUint8Array(value)) return Buffer.from(value).toString('base64');
  if (value instanceof Error || types.isNativeError(value)) return packError(value);
  return fields(Object.entries(value));
};

const fields = (entries: readonly (readonly [string, unknown])[]): JsonObject => {
  const readable: JsonObject = {};
  for (const [key, value] of entries) {
    const item = toReadable(value);
    if (item !== undefined) put(readable, key, item);
  }
  return readable;
};
