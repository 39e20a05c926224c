// Prints what the documented graphs give when LangGraph runs them by itself.
import { Command, MemorySaver } from '@langchain/langgraph';
import { mapReduce, question, react, review, textsOf, withSubgraph } from './documented.mjs';

const reviewed = async (verdict) => {
  const graph = review(new MemorySaver());
  const config = { configurable: { thread_id: verdict } };
  await graph.invoke({}, config);
  return graph.invoke(new Command({ resume: verdict }), config);
};

console.log(
  JSON.stringify({
    react: textsOf(await react.invoke(question)),
    'map-reduce': await mapReduce.invoke({ topic: 'animals' }),
    subgraph: textsOf(await withSubgraph.invoke(question)),
    'review yes': await reviewed('yes'),
    'review no': await reviewed('no'),
  }),
);
