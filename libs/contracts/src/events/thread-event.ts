import { z } from 'zod';
import { EventId, Name, TenantId, ThreadId } from '../ids.js';

/** A thread is a conversation over many runs; its facts lie beside theirs in the same stream. */
export const ThreadCreated = z.object({
  eventId: EventId,
  tenantId: TenantId,
  threadId: ThreadId,
  position: z.int().nonnegative(),
  ts: z.iso.datetime(),
  version: z.literal('1'),
  kind: z.literal('ThreadCreated'),
  agent: Name.optional(),
  title: z.string().max(500).optional(),
  /** Its runs are of the same project. */
  projectId: z.string().min(1).max(200).optional(),
  by: z.string().min(1).max(256),
});
export const ThreadEvent = z.discriminatedUnion('kind', [ThreadCreated]);
export type ThreadEvent = z.infer<typeof ThreadEvent>;
