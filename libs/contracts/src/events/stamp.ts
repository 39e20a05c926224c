import { z } from 'zod';
import { EventId, Name, RunId, TaskKey, TenantId } from '../ids.js';

/**
 * Event schemas validate and never rebuild: no default, no transform. A reader hands on the very object it was sent,
 * so fields a newer writer added survive a reader that does not know them.
 */
const Counter = z.int().nonnegative();

/** What the append puts on every event: identity, order, time. */
export const Stamp = z.object({
  eventId: EventId,
  tenantId: TenantId,
  runId: RunId,
  /** Over all events of the run, without gaps. */
  position: Counter,
  ts: z.iso.datetime(),
  version: z.literal('1'),
});

/** Over what clients see, without gaps. */
export const PublicStamp = Stamp.extend({ sequence: Counter });

/** A tool decides by its name whether clients see its events (see classify): then they have a sequence. */
export const ToolStamp = Stamp.extend({ sequence: Counter.optional() });

/** Who said it: on every event a node produces, refused without. `attempt` is also the fence against sleepers. */
export const Speaker = {
  agentId: Name,
  node: Name,
  taskKey: TaskKey,
  iteration: Counter,
  attempt: z.int().positive(),
};

/** What a node says. `within` names the call (of a model, a tool, a step) it was said in, when it was said in one. */
export const Speech = { ...Speaker, within: z.string().min(1).max(2_500).optional() };

export type StampField = keyof z.infer<typeof PublicStamp>;
