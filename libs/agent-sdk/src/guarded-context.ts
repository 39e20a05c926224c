import type { InputRequest, InputRequestType, InputResponse, RunEventKind } from '@millrace/contracts';
import type { LlmRequest } from '@millrace/ports';
import type { ContractNode, NodePort } from './contract-node.js';
import type { Emitted, LlmAnswer, LlmOptions, NodeContext, Subagent, SuspendOptions } from './node-context.js';
import { NodeContractBroken } from './suspension.js';

/** The context as a node with a contract sees it: what the node has not declared is refused before it happens. */
export class GuardedContext implements NodeContext {
  readonly #contract: ContractNode;
  readonly #inner: NodeContext;

  constructor(contract: ContractNode, inner: NodeContext) {
    this.#contract = contract;
    this.#inner = inner;
  }

  get tenantId() {
    return this.#inner.tenantId;
  }

  get runId() {
    return this.#inner.runId;
  }

  get agentId() {
    return this.#inner.agentId; // asked each time: changeAgent changes it
  }

  get node() {
    return this.#inner.node;
  }

  get taskKey() {
    return this.#inner.taskKey;
  }

  get iteration() {
    return this.#inner.iteration;
  }

  get attempt() {
    return this.#inner.attempt;
  }

  get signal() {
    return this.#inner.signal;
  }

  emit(said: Emitted): void {
    this.mayEmit(said.kind);
    this.#inner.emit(said);
  }

  log(...said: Parameters<NodeContext['log']>): void {
    this.mayEmit('LogWritten');
    this.#inner.log(...said);
  }

  progress(...said: Parameters<NodeContext['progress']>): void {
    this.mayEmit('ProgressReported');
    this.#inner.progress(...said);
  }

  message(...said: Parameters<NodeContext['message']>): void {
    this.mayEmit('MessageAdded');
    this.#inner.message(...said);
  }

  async llm(request: LlmRequest, options?: LlmOptions): Promise<LlmAnswer> {
    this.mayUse('llm');
    return this.#inner.llm(request, options);
  }

  async tool(name: string, input: unknown): Promise<unknown> {
    this.mayUse(`tool:${name}`);
    return this.#inner.tool(name, input);
  }

  async step<T>(key: string, effect: () => Promise<T> | T): Promise<T> {
    this.mayUse('step');
    return this.#inner.step(key, effect);
  }

  async suspend<T extends InputRequestType>(
    request: Extract<InputRequest, { type: T }>,
    options?: SuspendOptions,
  ): Promise<InputResponse<T>> {
    this.mayUse('input');
    return this.#inner.suspend<T>(request, options);
  }

  subagent(subagentId: string, toolUseId: string): Subagent {
    const subagent = this.#inner.subagent(subagentId, toolUseId);
    return {
      progress: (json) => {
        this.mayEmit('SubagentProgressed');
        subagent.progress(json);
      },
      fail: (error) => {
        this.mayEmit('SubagentFailed');
        subagent.fail(error);
      },
      finish: (json) => {
        this.mayEmit('SubagentFinished');
        subagent.finish(json);
      },
    };
  }

  async switchPolicy(toPolicy: string, reason: string): Promise<void> {
    this.mayEmit('PolicySwitched');
    return this.#inner.switchPolicy(toPolicy, reason);
  }

  changeAgent(toAgentId: string): void {
    this.mayEmit('AgentChanged');
    this.#inner.changeAgent(toAgentId);
  }

  messages() {
    return this.#inner.messages();
  }

  lastMessages(count: number) {
    return this.#inner.lastMessages(count);
  }

  partnerMessage() {
    return this.#inner.partnerMessage();
  }

  private mayUse(port: NodePort): void {
    const { name, ports } = this.#contract;
    if (ports.includes(port)) return;
    throw new NodeContractBroken(`Node ${name}: ports: it used ${port}, and declares ${listed(ports)}`);
  }

  private mayEmit(kind: RunEventKind): void {
    const { name, ports, emittedEvents } = this.#contract;
    if (emittedEvents.includes(kind)) return;
    // A model speaks in these two. A node that has one may say them itself too, for one that is asked unseen.
    if (ports.includes('llm') && (kind === 'TokenDelta' || kind === 'ThoughtDelta')) return;
    throw new NodeContractBroken(
      `Node ${name}: emittedEvents: it emitted ${kind}, and declares ${listed(emittedEvents)}`,
    );
  }
}

const listed = (declared: readonly string[]): string => declared.join(', ') || 'none';
