import type { AgentDefinition } from '@millrace/agent-sdk';
import type { LlmRequest } from '@millrace/ports';
import { z } from 'zod';
import { createFunctionLoop } from './function-loop.js';
import { graphEditorFunctions } from './graph-editor.functions.js';
import { call, type Heard, type ModelScript, thought, writeScript } from './model-script.js';

export const GRAPH_EDITOR_SCRIPT = 'scripted/graph-editor';

const SYSTEM = `You edit the graph a person has open. Read it before you change it, inspect the nodes you mean to touch,
apply what has to be confirmed, and show what need not be. End with one sentence about what has changed.`;

/** Edits the graph its client has open, with functions that run there. */
export const createGraphEditor = ({
  model = GRAPH_EDITOR_SCRIPT,
}: { model?: string | undefined } = {}): AgentDefinition =>
  createFunctionLoop({
    ...{ id: 'graph-editor', version: '1', title: 'Graph editor' },
    description: 'Edits the graph its client has open, with functions that run there.',
    ...{ model, system: SYSTEM, functions: graphEditorFunctions },
  });

/** Adds a note with the person's words to the graph, behind its last node. */
export const graphEditorScript = (request: LlmRequest): ModelScript =>
  writeScript(
    request,
    () => [thought('First I have to see the graph.'), call('read_graph', {})],
    (heard) => {
      const { nodes } = graphIn(heard);
      const last = nodes.at(-1);
      return last
        ? [`The graph has ${nodes.length} node(s). `, call('inspect_node', { nodeId: last.id })]
        : ['The graph is empty. ', call('apply_edits', { edits: editsFor(heard), label: 'Add a note' })];
    },
    (heard) =>
      graphIn(heard).nodes.length > 0
        ? [call('apply_edits', { edits: editsFor(heard), label: 'Add a note' })]
        : afterEdits(heard),
    (heard) => (heard.resultOf('show_edits') === undefined ? afterEdits(heard) : [ADDED]),
    () => [ADDED],
  );

const ADDED = 'I added your note and selected it.';

const afterEdits = (heard: Heard) => {
  const refused = heard.failureOf('apply_edits');
  return refused === undefined
    ? [call('show_edits', { edits: [{ type: 'select', nodeId: NOTE }] })]
    : [`I changed nothing: ${refused}.`];
};

const NOTE = 'note';

const editsFor = (heard: Heard) => {
  const last = graphIn(heard).nodes.at(-1);
  const added = { type: 'addNode', node: { id: NOTE, type: 'note', text: heard.text } };
  return last ? [added, { type: 'addEdge', from: last.id, to: NOTE }] : [added];
};

const graphIn = (heard: Heard) => Graph.parse(heard.resultOf('read_graph'));

/** As much of a client's graph as this script needs; a model reads it as it is. */
const Graph = z
  .looseObject({ nodes: z.array(z.looseObject({ id: z.string().min(1) })).default([]) })
  .catch({ nodes: [] });
