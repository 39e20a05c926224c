import { TaskKey } from '@millrace/contracts';
import { GraphUnsupported } from './graph-errors.js';
import type { TaskPlace } from './langgraph-internals.js';

/**
 * `[parent>]step/node[send]`: `3/agent`, `2/work[4]`, `2/sub[1]>2/inner`; and `2/work[4]!2/handler` for what handles an
 * error. The same on every replay, from the start and from a checkpoint. A node is pulled at most once in a step; a
 * `Send` is known by its number.
 */
export const taskKeyOf = (place: TaskPlace, parent: TaskKey | undefined): TaskKey => {
  const { step, node, sendIndex, handlesError } = place;
  const level = parent === undefined ? '' : `${parent}${handlesError ? '!' : '>'}`;
  const key = `${level}${step}/${escape(node)}${sendIndex === undefined ? '' : `[${sendIndex}]`}`;
  const parsed = TaskKey.safeParse(key);
  if (!parsed.success) throw new GraphUnsupported(`Graphs are nested too deep for a task key: ${key}`);
  return parsed.data;
};

/** The level of nesting a task belongs to, and its step there. */
export const levelOf = (key: TaskKey): { readonly group: string; readonly step: number } => {
  const own = Math.max(key.lastIndexOf('>'), key.lastIndexOf('!')) + 1;
  return { group: key.slice(0, own), step: Number.parseInt(key.slice(own), 10) };
};

/** The superstep of the outermost graph that a task is part of. */
export const rootStepOf = (key: TaskKey): number => Number.parseInt(key, 10);

const escape = (node: string): string => node.replace(/[%>![]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
