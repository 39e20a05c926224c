import type { InputRequestType, InputResponse, TerminalKind } from '@millrace/contracts';

type Answer = { [T in InputRequestType]: { readonly type: T; readonly response: InputResponse<T> } }[InputRequestType];

export interface Scenario {
  readonly name: string;
  readonly agent: string;
  readonly input: unknown;
  /** What its person or client answers, in the order of the questions. */
  readonly answers: readonly Answer[];
  readonly ends: TerminalKind;
  /** Of its output. */
  readonly text?: string;
}

const graph = { nodes: [{ id: 'start', type: 'input' }], edges: [] };
const note = { name: 'note.txt', inlineData: { mimeType: 'text/plain', data: 'bWlsbCB3aGVlbA==' } };
const wheel = { name: 'wheel.png', storedData: { mimeType: 'image/png', handle: 'blob:wheel' } };

/**
 * Runs of the agents we ship whose course is known, with the scripted models. Together they show every type of event of
 * the agent dialect: for whoever writes or tries a client.
 */
export const SCENARIOS: readonly Scenario[] = [
  {
    ...{ name: 'echo', agent: 'echo', input: { text: 'the mill turns' } },
    ...{ answers: [], ends: 'RunFinished', text: 'the mill turns' },
  },
  {
    ...{ name: 'chat', agent: 'chat', input: { text: 'the mill turns', files: [note, wheel] } },
    answers: [
      { type: 'waitForInput', response: { text: 'Ada', files: [note] } },
      { type: 'waitForChoice', response: { choice: 'words' } },
    ],
    ...{ ends: 'RunFinished', text: 'Your text has 3 words, Ada.' },
  },
  { ...{ name: 'chat that fails', agent: 'chat', input: { text: '/fail' } }, ...{ answers: [], ends: 'RunFailed' } },
  {
    ...{ name: 'graph-edit', agent: 'graph-editor', input: { text: 'mind the water' } },
    answers: [
      { type: 'readGraph', response: { graph } },
      { type: 'inspectNode', response: { node: graph.nodes[0] } },
      { type: 'applyEdits', response: { applied: true } },
    ],
    ...{ ends: 'RunFinished', text: 'I added your note and selected it.' },
  },
  {
    ...{ name: 'graph-edit that is refused', agent: 'graph-editor', input: { text: 'mind the water' } },
    answers: [
      { type: 'readGraph', response: { graph: { nodes: [] } } },
      { type: 'applyEdits', response: { applied: false, error: 'the graph is locked' } },
    ],
    ...{ ends: 'RunFinished', text: 'I changed nothing: the graph is locked.' },
  },
  {
    ...{ name: 'consent', agent: 'consent', input: { text: 'An image and a video of a mill' } },
    answers: [
      { type: 'queryConsent', response: { consent: true } },
      { type: 'queryConsent', response: { consent: true } },
    ],
    ...{ ends: 'RunFinished', text: '1 made, 1 not.' },
  },
  {
    ...{ name: 'consent that is refused', agent: 'consent', input: { text: 'Audio of a mill' } },
    answers: [{ type: 'queryConsent', response: { consent: false } }],
    ...{ ends: 'RunFinished', text: 'Nothing was made.' },
  },
];
