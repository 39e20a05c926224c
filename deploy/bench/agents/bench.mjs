// What the benchmark runs: nodes that do nothing, so that only the platform's own cost is measured.
import { Annotation, END, interrupt, Send, START, StateGraph } from '@langchain/langgraph';
import { defineAgent, nodeContext } from '@millrace/agent-sdk';
import { setTimeout as pause } from 'node:timers/promises';

const Count = Annotation.Root({ count: Annotation(), steps: Annotation(), pauseMs: Annotation() });

export const two = new StateGraph(Count)
  .addNode('first', async () => ({ count: 1 }))
  .addNode('second', async () => ({ count: 2 }))
  .addEdge(START, 'first')
  .addEdge('first', 'second')
  .addEdge('second', END)
  .compile();

/** One node as often as `steps` says. */
export const loop = new StateGraph(Count)
  .addNode('step', async ({ count = 0, pauseMs = 0 }) => {
    if (pauseMs > 0) await pause(pauseMs);
    return { count: count + 1 };
  })
  .addEdge(START, 'step')
  .addConditionalEdges('step', ({ count, steps }) => (count < steps ? 'step' : END))
  .compile();

const HUNDRED = Array.from({ length: 100 }, (_, at) => at);
const nameOf = (at) => `step-${at}`;

/** A hundred distinct nodes, one after another. */
const line = new StateGraph(Count);
for (const at of HUNDRED) line.addNode(nameOf(at), async () => ({ count: at }));
for (const at of HUNDRED) line.addEdge(at === 0 ? START : nameOf(at - 1), nameOf(at));
export const chain = line.addEdge(nameOf(HUNDRED.length - 1), END).compile();

const Sum = Annotation.Root({ sum: Annotation({ reducer: (left, right) => left + right, default: () => 0 }) });
/** A hundred nodes in one step. */
export const fan = new StateGraph(Sum)
  .addNode('branch', async () => ({ sum: 1 }))
  .addConditionalEdges(START, () => HUNDRED.map((at) => new Send('branch', { at })), ['branch'])
  .addEdge('branch', END)
  .compile();

const Talk = Annotation.Root({ tokens: Annotation(), everyMs: Annotation(), pauseMs: Annotation() });
/** Every token is the time it was said at, so that a follower knows how long it took. */
const talk = new StateGraph(Talk)
  .addNode('say', async ({ tokens, everyMs, pauseMs = 0 }) => {
    const context = nodeContext();
    if (pauseMs > 0) await pause(pauseMs); // until somebody listens
    for (let at = 0; at < tokens; at += 1) {
      context.emit({ kind: 'TokenDelta', text: `${performance.timeOrigin + performance.now()} ` });
      if (everyMs > 0) await pause(everyMs);
      else if (at % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
    }
    return {};
  })
  .addEdge(START, 'say')
  .addEdge('say', END)
  .compile();

const ask = new StateGraph(Annotation.Root({ answer: Annotation() }))
  .addNode('ask', async () => ({ answer: interrupt({ question: 'How to go on?' }) }))
  .addEdge(START, 'ask')
  .addEdge('ask', END)
  .compile();

const recursionLimit = 10_000;
export const agents = [
  defineAgent({ id: 'two', version: '1', graph: two }),
  defineAgent({ id: 'loop', version: '1', graph: loop, recursionLimit }),
  defineAgent({ id: 'chain', version: '1', graph: chain, recursionLimit }),
  defineAgent({ id: 'fan', version: '1', graph: fan }),
  defineAgent({ id: 'talk', version: '1', graph: talk }),
  defineAgent({ id: 'ask', version: '1', graph: ask }),
];
