import { z } from 'zod';
import { Name, WorkerId } from './ids.js';

/** A whole announcement, as JSON. A message may have 1 MiB; this leaves room for a few in one answer of a list. */
export const MAX_ANNOUNCEMENT_BYTES = 256 * 1024;

/** JSON Schema, draft 2020-12. */
const JsonSchema = z.record(z.string(), z.unknown());
export type JsonSchema = z.infer<typeof JsonSchema>;

const Text = z.string().max(10_000);
/** `outer|inner` inside a subgraph, as in the events of a run. */
const NodePath = z.string().min(1).max(1_000);

export const AgentTool = z.object({
  name: Name,
  description: Text.optional(),
  /** Whether a person must agree before a call: `depends` on what it is called with. */
  approval: z.enum(['never', 'always', 'depends']),
  inputSchema: JsonSchema.optional(),
});
export type AgentTool = z.infer<typeof AgentTool>;

/** The agent's control flow, to be shown; what really happens is decided by the graph itself. */
export const AgentGraph = z.object({
  nodes: z.array(
    z.object({
      id: NodePath,
      name: Name,
      kind: z.enum(['start', 'end', 'node', 'subgraph']),
      /** The subgraph it is part of. */
      within: NodePath.optional(),
    }),
  ),
  edges: z.array(
    z.object({
      from: NodePath,
      to: NodePath,
      /** Taken or not, as the graph decides each time. */
      conditional: z.boolean(),
      label: z.string().max(200).optional(),
    }),
  ),
});
export type AgentGraph = z.infer<typeof AgentGraph>;

/** What a worker says of one version of an agent it has. Everything clients may know of it without loading its code. */
export const AgentAnnouncement = z.looseObject({
  format: z.literal('1'),
  id: Name,
  version: Name,
  title: z.string().max(200).optional(),
  description: Text.optional(),
  /** What the agent takes; left out where it takes anything, or says so in no schema. */
  inputSchema: JsonSchema.optional(),
  outputSchema: JsonSchema.optional(),
  /** The policies it knows; empty where it does not care. */
  policies: z.array(Name),
  /** The agents that may speak in its runs (`agentId` of events). */
  speakers: z.array(Name),
  /** It takes `{ text, files? }` and ends with `{ text, … }`. */
  conversational: z.boolean(),
  tools: z.array(AgentTool),
  graph: AgentGraph,
  /** What was left out because the announcement would have been too large. */
  omitted: z.array(z.enum(['toolSchemas', 'graph', 'outputSchema', 'inputSchema', 'tools'])).optional(),
  /** The worker that announced it first. */
  announcedBy: WorkerId,
});
export type AgentAnnouncement = z.infer<typeof AgentAnnouncement>;

/** That a worker lives, and which agents it can work for. */
export const WorkerPresence = z.looseObject({
  format: z.literal('1'),
  workerId: WorkerId,
  serves: z.array(
    z.object({
      agent: Name,
      version: Name,
      /** New runs on this worker's word start with this version; the others are there for runs in flight. */
      isCurrent: z.boolean(),
    }),
  ),
});
export type WorkerPresence = z.infer<typeof WorkerPresence>;
