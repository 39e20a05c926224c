import {
  type AgentAnnouncement,
  type AgentGraph,
  type AgentTool,
  type JsonSchema,
  MAX_ANNOUNCEMENT_BYTES,
  type WorkerId,
} from '@millrace/contracts';
import type { AgentDefinition, ToolDefinition } from './agent-definition.js';
import { takenJsonSchema, givenJsonSchema } from './json-schema-of.js';

/** What can be told of an agent without its code. `graph` is drawn by the adapter that runs it. */
export const describeAgent = (
  definition: AgentDefinition,
  { graph, announcedBy }: { readonly graph: AgentGraph; readonly announcedBy: WorkerId },
): AgentAnnouncement => {
  const { id, version, title, description, policies = [], speakers = [id], conversational = false } = definition;
  return bounded({
    ...{
      format: '1',
      id,
      version,
      policies: [...policies],
      speakers: [...speakers],
      conversational,
      graph,
      announcedBy,
    },
    ...given({ title, description }),
    ...given({ inputSchema: takenJsonSchema(definition.inputSchema) }),
    ...given({ outputSchema: givenJsonSchema(definition.outputSchema) }),
    tools: Object.entries(definition.tools ?? {}).map(([name, tool]) => describeTool(name, tool)),
  });
};

const describeTool = (
  name: string,
  { description, needsApproval = false, inputSchema }: ToolDefinition,
): AgentTool => ({
  ...{ name, approval: typeof needsApproval === 'function' ? 'depends' : needsApproval ? 'always' : 'never' },
  ...given({ description, inputSchema: takenJsonSchema(inputSchema) }),
});

/** What may be missing from an announcement that would be too large, in the order it is missed least. */
const OMITTED: readonly (readonly [what: Omitted, without: (all: AgentAnnouncement) => AgentAnnouncement])[] = [
  ['toolSchemas', (all) => ({ ...all, tools: all.tools.map(({ inputSchema: _, ...tool }) => tool) })],
  ['graph', (all) => ({ ...all, graph: { nodes: [], edges: [] } })],
  ['outputSchema', ({ outputSchema: _, ...rest }) => rest],
  ['inputSchema', ({ inputSchema: _, ...rest }) => rest],
  ['tools', (all) => ({ ...all, tools: [] })],
];
type Omitted = NonNullable<AgentAnnouncement['omitted']>[number];

const bounded = (announcement: AgentAnnouncement): AgentAnnouncement => {
  let fitting = announcement;
  const omitted: Omitted[] = [];
  for (const [what, without] of OMITTED) {
    if (bytesOf(fitting) <= MAX_ANNOUNCEMENT_BYTES) return fitting;
    omitted.push(what);
    fitting = { ...without(fitting), omitted: [...omitted] };
  }
  return fitting;
};

const bytesOf = (announcement: AgentAnnouncement): number =>
  new TextEncoder().encode(JSON.stringify(announcement)).byteLength;

const given = <T extends Readonly<Record<string, string | JsonSchema | undefined>>>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
