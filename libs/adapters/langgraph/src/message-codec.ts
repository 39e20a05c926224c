import {
  AIMessage,
  type BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { isRecord, type JsonObject, put } from './json-object.js';

/**
 * A message as its type and its fields. A chunk becomes the whole message it has grown to: once a node has finished,
 * nothing is added to it.
 */
export const messageToJson = (message: BaseMessage, pack: (key: string, value: unknown) => unknown): JsonObject => {
  const current = currentFields(message);
  const fields = { ...current, ...message.lc_kwargs, ...current }; // in one order, whatever it was made from
  const json: JsonObject = { type: message.type };
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined || DERIVED.has(key) || isOmitted(message, key, value)) continue;
    put(json, key, pack(key, value));
  }
  return json;
};

export const messageFromJson = (json: JsonObject, unpack: (value: unknown) => unknown): BaseMessage => {
  const { type, ...packed } = json;
  const Message = CLASSES.get(type);
  if (!Message) throw new TypeError(`A stored message has the unknown type ${JSON.stringify(type)}`);
  const fields: JsonObject = {};
  for (const [key, value] of Object.entries(packed)) put(fields, key, unpack(value));
  return new Message(fields as never); // as it was when it was stored
};

const CLASSES: ReadonlyMap<unknown, new (fields: never) => BaseMessage> = new Map<
  unknown,
  new (fields: never) => BaseMessage
>([
  ['human', HumanMessage],
  ['ai', AIMessage],
  ['system', SystemMessage],
  ['tool', ToolMessage],
  ['function', FunctionMessage],
  ['generic', ChatMessage],
  ['remove', RemoveMessage],
]);

/** `lc_kwargs` is what the constructor was given; these may have been changed since. */
const CHANGEABLE = [
  'id',
  'name',
  'content',
  'additional_kwargs',
  'response_metadata',
  'tool_calls',
  'invalid_tool_calls',
  'usage_metadata',
  'tool_call_id',
  'status',
  'artifact',
  'metadata',
  'role',
] as const;

const currentFields = (message: BaseMessage): JsonObject =>
  Object.fromEntries(CHANGEABLE.flatMap((key) => (key in message ? [[key, Reflect.get(message, key)]] : [])));

/** Made again by the constructor: from the content, or from chunks that are whole by now. */
const DERIVED: ReadonlySet<string> = new Set(['type', 'contentBlocks', 'tool_call_chunks', '$type']);

/** Empty lists and records come back by themselves. Tool calls would be guessed from what a vendor left beside them. */
const isOmitted = ({ additional_kwargs: extra }: BaseMessage, key: string, value: unknown): boolean => {
  if (key === 'additional_kwargs' || key === 'response_metadata') return isRecord(value) && isEmpty(value);
  const isCalls = key === 'tool_calls' || key === 'invalid_tool_calls';
  return isCalls && Array.isArray(value) && value.length === 0 && isEmpty(extra);
};

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;
