import { z } from 'zod';
import { AgentAnnouncement } from '../agent-announcement.js';
import { Name } from '../ids.js';
import { PrintableName } from './names.http.js';
import { queryNumber } from './query-number.js';

export const AgentParams = z.object({ agent: PrintableName });
export const AgentVersionParams = z.object({ agent: PrintableName, version: PrintableName });

export const AgentsQuery = z.strictObject({
  limit: queryNumber(1, 200, 50),
  cursor: z.string().min(1).max(1_000).optional().meta({ description: 'The nextCursor of the page before.' }),
});
export type AgentsQuery = z.infer<typeof AgentsQuery>;

/** An agent in the catalogue. */
export const AgentSummary = z.object({
  id: Name,
  /** The one a new run starts with. */
  version: Name,
  title: z.string().optional(),
  description: z.string().optional(),
  conversational: z.boolean(),
  /** Whether a worker that has it lives; a run of one that is not served waits until one comes. */
  served: z.boolean(),
});
export type AgentSummary = z.infer<typeof AgentSummary>;

/** By their ids. Without a `nextCursor` it is the last page. */
export const AgentsPage = z.object({ agents: z.array(AgentSummary), nextCursor: z.string().optional() });
export type AgentsPage = z.infer<typeof AgentsPage>;

/** One version of an agent, with what its worker announced of it. */
export const AgentDetail = z.object({
  ...AgentAnnouncement.omit({ format: true, announcedBy: true }).shape,
  served: z.boolean(),
  /** All that were ever announced, the newest first. */
  versions: z.array(z.object({ version: Name, served: z.boolean() })),
});
export type AgentDetail = z.infer<typeof AgentDetail>;
