// A body that keeps the event loop of its process busy, as a computation that nobody moved to a thread does.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { defineAgent } from '@millrace/agent-sdk';

const graph = new StateGraph(Annotation.Root({ ms: Annotation() }))
  .addNode('compute', async ({ ms }) => {
    const until = Date.now() + ms;
    while (Date.now() < until);
    return {};
  })
  .addEdge(START, 'compute')
  .addEdge('compute', END)
  .compile();

export default defineAgent({ id: 'blocking', version: '1', graph });
