import { defineTool, nodeContext, type ToolDefinition } from '@millrace/agent-sdk';
import { PlatformError } from '@millrace/kernel';
import { z } from 'zod';

/** The client did not apply what it was asked to. */
export class EditsRefused extends PlatformError {
  readonly code = 'EDITS_REFUSED';
  readonly redelivery = 'park';
}

/** How an edit looks is between the model and the client's editor. */
const Edits = z.array(z.looseObject({ type: z.string().min(1) })).min(1);

/** The graph is the client's: it is read, inspected and changed there, and the run waits for it. */
export const graphEditorFunctions = {
  read_graph: defineTool({
    description: "Reads the whole graph from the client's editor",
    inputSchema: z.object({}),
    run: async () => (await nodeContext().suspend({ type: 'readGraph' })).graph,
  }),
  inspect_node: defineTool({
    description: 'Looks at one node of the graph, with its configuration',
    inputSchema: z.object({ nodeId: z.string().min(1) }),
    run: async ({ nodeId }) => (await nodeContext().suspend({ type: 'inspectNode', nodeId })).node,
  }),
  apply_edits: defineTool({
    description: 'Changes the graph, and waits until the client has confirmed it',
    inputSchema: z.object({ edits: Edits, label: z.string().optional() }),
    run: async ({ edits, label }) => {
      const labelled = label === undefined ? {} : { label };
      const { applied, error } = await nodeContext().suspend({ type: 'applyEdits', edits, ...labelled });
      if (!applied) throw new EditsRefused(error ?? 'The edits were not applied');
      return { applied };
    },
  }),
  show_edits: defineTool({
    description: 'Changes what the editor shows, without waiting for it: a selection, a highlight, a layout',
    inputSchema: z.object({ edits: Edits }),
    run: async ({ edits }) => {
      nodeContext().emit({ kind: 'GraphEdited', edits });
      return { shown: edits.length };
    },
  }),
} as const satisfies Record<string, ToolDefinition>;
