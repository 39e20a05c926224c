import {
  type AgentDefinition,
  callAround,
  type Emitted,
  InputExpired,
  type LlmAnswer,
  type LlmOptions,
  type NodeContext,
  NodeSuspension,
  type RunMessage,
  runWithinCall,
  type Subagent,
  type SuspendOptions,
  ToolRejected,
} from '@millrace/agent-sdk';
import {
  INPUT_RESPONSES,
  type InputRequest,
  type InputRequestType,
  type InputResponse,
  type RequestId,
  type RunEvent,
  type RunFactOf,
  type TaskKey,
} from '@millrace/contracts';
import type { Clock, LlmPort, LlmRequest } from '@millrace/ports';
import type { RunCommand, SpokenFact } from '@millrace/run-domain';
import { callModel } from './model-call.js';
import { messagesIn } from './run-messages.js';
import { SaidBefore, SaidSoFar, type Words } from './said-before.js';
import { stableRequestId } from './stable-id.js';
import type { Attempt } from './attempt.js';
import { callTool } from './tool-call.js';

export type Speaker = Omit<RunFactOf<'NodeStarted'>, 'kind' | 'continues' | 'scheduled'>;

export interface ContextParts {
  /** Whether the attempts before still stand (after a wait), or are superseded by this one. */
  readonly continues: boolean;
  readonly agent: () => AgentDefinition;
  readonly policy: () => string;
  readonly attempt: Attempt;
  readonly llm: LlmPort;
  readonly clock: Clock;
  readonly history: () => Promise<readonly RunEvent[]>;
}

/**
 * The context of one attempt. Calls are numbered in the order the body makes them: the number, the task's key and the
 * name make the key under which their result is recorded and found again. What a call makes is numbered in that call:
 * a call that was recorded is not made again, and must not shift the numbers of those behind it.
 */
export class DurableContext implements NodeContext {
  readonly #before: SaidBefore;
  readonly #numbers = new Map<string, number>();
  #agentId: string;

  constructor(private readonly parts: ContextParts) {
    this.#before = new SaidBefore(parts.continues ? parts.attempt.journal.said : new SaidSoFar());
    this.#agentId = parts.attempt.speaker.agentId;
  }

  get tenantId() {
    return this.parts.attempt.ref.tenantId;
  }
  get runId() {
    return this.parts.attempt.ref.runId;
  }
  get agentId(): string {
    return this.#agentId;
  }
  get node(): string {
    return this.parts.attempt.speaker.node;
  }
  get taskKey(): TaskKey {
    return this.parts.attempt.speaker.taskKey;
  }
  get iteration(): number {
    return this.parts.attempt.speaker.iteration;
  }
  get attempt(): number {
    return this.parts.attempt.speaker.attempt;
  }
  get signal(): AbortSignal {
    return this.parts.attempt.signal;
  }

  get speaker(): Speaker {
    return { ...this.parts.attempt.speaker, agentId: this.#agentId };
  }

  emit(said: Emitted): void {
    this.say({ ...this.speaker, ...said });
  }

  log(level: RunFactOf<'LogWritten'>['level'], message: string, payload?: unknown): void {
    this.emit({ kind: 'LogWritten', ...logLine(this.node, level, message, payload) });
  }

  progress(message: string, fraction?: number): void {
    this.emit({ kind: 'ProgressReported', message, ...(fraction === undefined ? {} : { fraction }) });
  }

  message(
    content: unknown,
    { role = 'agent', from = this.node, round = this.iteration }: Partial<RunMessage> = {},
  ): void {
    this.say({ kind: 'MessageAdded', ...this.speaker, from, role, content, round });
  }

  llm(request: LlmRequest, { shown = true }: LlmOptions = {}): Promise<LlmAnswer> {
    const { attempt, llm } = this.parts;
    const callId = this.numbered('llm');
    const parts = { attempt, llm, speaker: this.speaker, say: (fact: Words) => this.say(fact) };
    return runWithinCall(callId, () => callModel({ callId, request, shown }, parts));
  }

  async tool(name: string, input: unknown): Promise<unknown> {
    const { attempt, agent } = this.parts;
    const call = { toolUseId: this.numbered(name), name, input };
    const approve = (toolUseId: string, snapshot: unknown) => this.approval(toolUseId, name, snapshot);
    const log: NodeContext['log'] = (...line) => this.emit({ kind: 'LogWritten', ...logLine(name, ...line) });
    return callTool(call, { attempt, agent: agent(), speaker: this.speaker, approve, log });
  }

  async step<T>(key: string, effect: () => Promise<T> | T): Promise<T> {
    const recorded = this.parts.attempt.journal.effect(key);
    if (recorded) return recorded.value as T;
    const value = await runWithinCall(`${this.taskKey}#step:${key}`, effect);
    await this.parts.attempt.write(this.order({ kind: 'EffectRecorded', ...this.speaker, key, value: value ?? null }));
    return value;
  }

  async suspend<T extends InputRequestType>(
    request: Extract<InputRequest, { type: T }>,
    { expiresInMs }: SuspendOptions = {},
  ): Promise<InputResponse<T>> {
    const requestId = stableRequestId(this.runId, this.numbered('input'));
    const response = await this.ask(requestId, request, expiresInMs);
    return INPUT_RESPONSES[request.type].parse(response) as InputResponse<T>;
  }

  subagent(subagentId: string, toolUseId: string): Subagent {
    const about = () => ({ ...this.speaker, subagentId, toolUseId });
    return {
      progress: (json) => this.say({ kind: 'SubagentProgressed', ...about(), json }),
      fail: (error) => this.say({ kind: 'SubagentFailed', ...about(), error }),
      finish: (json) => this.say({ kind: 'SubagentFinished', ...about(), ...(json === undefined ? {} : { json }) }),
    };
  }

  async switchPolicy(toPolicy: string, reason: string): Promise<void> {
    const fromPolicy = this.parts.policy();
    if (fromPolicy === toPolicy) return;
    await this.parts.attempt.write(
      this.order({ kind: 'PolicySwitched', ...this.speaker, fromPolicy, toPolicy, reason }),
    );
  }

  changeAgent(toAgentId: string): void {
    if (toAgentId === this.#agentId) return;
    this.say({ kind: 'AgentChanged', ...this.speaker, fromAgentId: this.#agentId, toAgentId });
    this.#agentId = toAgentId;
  }

  async messages(): Promise<readonly RunMessage[]> {
    return messagesIn(await this.parts.history());
  }

  async lastMessages(count: number): Promise<readonly RunMessage[]> {
    return count === 0 ? [] : (await this.messages()).slice(-count);
  }

  async partnerMessage(): Promise<RunMessage | undefined> {
    return (await this.messages()).findLast(({ from }) => from !== this.node);
  }

  private say(fact: Words): void {
    const within = callAround();
    const fresh = this.#before.rest(within === undefined ? fact : { ...fact, within });
    if (fresh) this.parts.attempt.say(fresh);
  }

  /** The answer, once there is one. Asked first, then waited for: the body is left by an exception. */
  private async ask(requestId: RequestId, request: InputRequest, expiresInMs?: number): Promise<unknown> {
    const { attempt, clock } = this.parts;
    const answer = attempt.journal.answer(requestId);
    switch (answer?.kind) {
      case 'answered':
        return answer.response;
      case 'expired':
        throw new InputExpired(`Nobody answered request ${requestId} in time`);
      case 'open':
        throw new NodeSuspension([requestId]);
      case undefined: {
        const expiresAt =
          expiresInMs === undefined ? {} : { expiresAt: new Date(clock.now().getTime() + expiresInMs).toISOString() };
        await attempt.write({
          kind: 'RequestInput',
          ...attempt.ref,
          ...this.speaker,
          requestId,
          request,
          ...expiresAt,
        });
        throw new NodeSuspension([requestId]);
      }
    }
  }

  /** The input a person has agreed to: the very snapshot they saw, or what they made of it. */
  private async approval(toolUseId: string, tool: string, input: unknown): Promise<unknown> {
    const requestId = stableRequestId(this.runId, toolUseId, 'approval');
    const request = { type: 'toolApproval', toolUseId, tool, input } as const;
    const { decision, reason, input: edited } = INPUT_RESPONSES.toolApproval.parse(await this.ask(requestId, request));
    const asked = this.parts.attempt.journal.request(requestId)?.request;
    switch (decision) {
      case 'approve':
        return asked?.type === 'toolApproval' ? asked.input : input;
      case 'edit':
        return edited;
      case 'reject':
        throw new ToolRejected(`The call of ${tool} was rejected${reason === undefined ? '' : `: ${reason}`}`);
    }
  }

  private numbered(name: string): string {
    const key = `${callAround() ?? this.taskKey}#${name}`;
    const number = (this.#numbers.get(key) ?? 0) + 1;
    this.#numbers.set(key, number);
    return `${key}-${number}`;
  }

  private order(fact: SpokenFact): RunCommand {
    return { kind: 'Say', ...this.parts.attempt.ref, fact };
  }
}

/** In brackets, who speaks: the node, or a tool it calls. */
const logLine = (from: string, ...[level, message, payload]: Parameters<NodeContext['log']>) => ({
  ...{ level, message, source: `[${from}]` },
  ...(payload === undefined ? {} : { payload }),
});
