import { z } from 'zod';

/**
 * Ids are canonical ULIDs: 26 characters of Crockford's alphabet in upper case. Lower case is refused, so that an id
 * has one spelling, and with it one subject, one row and one cache key.
 */
const ulid = () => z.string().regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, 'must be a ULID (26 upper-case characters)');

export const TenantId = ulid().brand<'TenantId'>();
export type TenantId = z.infer<typeof TenantId>;

export const RunId = ulid().brand<'RunId'>();
export type RunId = z.infer<typeof RunId>;

export const EventId = ulid().brand<'EventId'>();
export type EventId = z.infer<typeof EventId>;

export const ThreadId = ulid().brand<'ThreadId'>();
export type ThreadId = z.infer<typeof ThreadId>;

export const RequestId = ulid().brand<'RequestId'>();
export type RequestId = z.infer<typeof RequestId>;

/** Of one stream ticket. */
export const TicketId = ulid().brand<'TicketId'>();
export type TicketId = z.infer<typeof TicketId>;

/** Of one worker process, from its start to its end. */
export const WorkerId = ulid().brand<'WorkerId'>();
export type WorkerId = z.infer<typeof WorkerId>;

/** Names people choose (agents, nodes, apps, policies, tools): short, printable. In a subject they stand encoded only. */
export const Name = z.string().min(1).max(200);

/** Where a node stands in its run's graph, e.g. `3/agent` or `2/work[4]`; stable over every replay. */
export const TaskKey = z.string().min(1).max(1_000).brand<'TaskKey'>();
export type TaskKey = z.infer<typeof TaskKey>;
