import { Command, isCommand, Overwrite, Send } from '@langchain/langgraph';
import { BaseMessage } from '@langchain/core/messages';
import { types } from 'node:util';
import { type JsonObject, isRecord, put } from './json-object.js';
import { messageFromJson, messageToJson } from './message-codec.js';
import { errorFromJson, errorToJson } from './node-error.js';
import { ValueNotPortable } from './value-not-portable.js';

/** Marks what JSON has no word for. An object that has this key itself is wrapped, so that none is mistaken. */
const TAG = '$type';

/**
 * Everything that crosses the log: plain data as it is, so that people can read it, and what graphs pass around beside
 * it. The same value gives the same JSON, and what comes back gives it once more: inputs are compared by their hash.
 */
export const toJson = (value: unknown): unknown => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? value : tagged('number', { value: nameOf(value) });
    case 'bigint':
      return tagged('bigint', { value: String(value) });
    case 'undefined':
      return tagged('undefined');
    case 'function':
    case 'symbol':
      throw new ValueNotPortable(`a ${typeof value}`);
    case 'object':
      return value === null ? null : objectToJson(value);
  }
};

export const fromJson = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(fromJson);
  if (!isRecord(json)) return json;
  return Object.hasOwn(json, TAG) ? fromTagged(json) : eachEntry(json, fromJson);
};

export const encode = (value: unknown): string => JSON.stringify(toJson(value));
export const decode = (text: string): unknown => fromJson(JSON.parse(text));

const objectToJson = (value: object): unknown => {
  if (Array.isArray(value)) return Array.from(value, (item, index) => inside(String(index), item));
  if (isPlain(value)) return recordToJson(value);
  if (BaseMessage.isInstance(value)) return tagged('message', messageToJson(value, inside));
  if (isCommand(value)) {
    const { graph, update, resume, goto } = value;
    return tagged('command', eachDefined({ graph, update, resume, goto }));
  }
  if (isSend(value)) {
    const { node, args, timeout } = value;
    return tagged('send', eachDefined({ node, args, timeout }));
  }
  if (value instanceof Overwrite) return tagged('overwrite', { value: toJson(value.value) });
  if (types.isDate(value)) return tagged('date', { value: dateName(value) });
  if (types.isMap(value)) return tagged('map', { entries: toJson([...value]) });
  if (types.isSet(value)) return tagged('set', { values: toJson([...value]) });
  if (types.isUint8Array(value)) return tagged('bytes', { base64: base64Of(value) });
  if (value instanceof Error || types.isNativeError(value)) return tagged('error', errorToJson(value));
  // Of any other class its data is kept. One that shows none (a Promise, a URL, a client) would come back empty.
  if (Object.keys(value).length === 0 || ArrayBuffer.isView(value)) {
    throw new ValueNotPortable(`an object of class ${value.constructor.name}`);
  }
  return recordToJson(value);
};

const fromTagged = (json: JsonObject): unknown => {
  switch (json[TAG]) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(json['value']);
    case 'bigint':
      return BigInt(String(json['value']));
    case 'object':
      return eachEntry(isRecord(json['value']) ? json['value'] : {}, fromJson);
    case 'message': {
      const { [TAG]: _tag, ...message } = json;
      return messageFromJson(message, fromJson);
    }
    case 'command':
      return new Command(eachEntry(untagged(json), fromJson));
    case 'send': {
      const timeout = fromJson(json['timeout']) as Send['timeout'];
      return new Send(String(json['node']), fromJson(json['args']), timeout === undefined ? undefined : { timeout });
    }
    case 'overwrite':
      return new Overwrite(fromJson(json['value']));
    case 'date':
      return new Date(String(json['value']));
    case 'map':
      return new Map(fromJson(json['entries']) as [unknown, unknown][]);
    case 'set':
      return new Set(fromJson(json['values']) as unknown[]);
    case 'bytes':
      return new Uint8Array(Buffer.from(String(json['base64']), 'base64'));
    case 'error':
      return errorFromJson(untagged(json));
    default:
      throw new TypeError(`A stored value has the unknown tag ${JSON.stringify(json[TAG])}`);
  }
};

const recordToJson = (value: object): unknown => {
  const json: JsonObject = {};
  for (const [key, item] of Object.entries(value)) put(json, key, inside(key, item));
  return Object.hasOwn(json, TAG) ? tagged('object', { value: json }) : json;
};

const tagged = (tag: string, fields: object = {}): JsonObject => ({ [TAG]: tag, ...fields });

const untagged = (json: JsonObject): JsonObject => {
  const { [TAG]: _tag, ...fields } = json;
  return fields;
};

const eachEntry = (record: object, change: (value: unknown) => unknown): JsonObject => {
  const changed: JsonObject = {};
  for (const [key, value] of Object.entries(record)) put(changed, key, change(value));
  return changed;
};

const eachDefined = (fields: object): JsonObject =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, inside(key, value)]),
  );

const inside = (key: string, value: unknown): unknown => {
  try {
    return toJson(value);
  } catch (error) {
    throw error instanceof ValueNotPortable ? error.under(key) : error;
  }
};

const isSend = (value: object): value is Send<string, unknown> => value instanceof Send;

/** Also of another realm, and without a prototype. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

const nameOf = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));
const dateName = (date: Date): string => (Number.isNaN(date.getTime()) ? 'invalid' : date.toISOString());
const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
