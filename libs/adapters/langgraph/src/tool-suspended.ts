import { GraphInterrupt } from '@langchain/langgraph';
import type { NodeSuspension } from '@millrace/agent-sdk';

/** A suspension as what LangGraph lets pass: its tool nodes make an answer for the model of any other error. */
export class ToolSuspended extends GraphInterrupt {
  constructor(readonly suspension: NodeSuspension) {
    super([]);
  }
}
