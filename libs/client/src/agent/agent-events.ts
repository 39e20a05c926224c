import type { AnswerRequest, WireAgentEvent, WireSuspendEvent } from '@millrace/contracts';

/** One of the 21 events of an agent's loop. */
export type AgentEvent = WireAgentEvent;
/** One of the six the loop waits for an answer to. */
export type SuspendEvent = WireSuspendEvent;
/** One of the fifteen that only tell. */
export type NoticeEvent = Exclude<AgentEvent, { type: SuspendEvent['type'] }>;

export type AgentEventType = AgentEvent['type'];
export type SuspendType = SuspendEvent['type'];
export type NoticeType = NoticeEvent['type'];

export type AgentEventOf<T extends AgentEventType> = Extract<AgentEvent, { type: T }>;
/** What the client answers, by what it was asked. */
export type AnswerTo<T extends SuspendType> = AnswerRequest<T>;

const SUSPENDING = {
  waitForInput: true,
  waitForChoice: true,
  readGraph: true,
  inspectNode: true,
  applyEdits: true,
  queryConsent: true,
} as const satisfies Record<SuspendType, true>;

export const isSuspendType = (type: string): type is SuspendType => Object.hasOwn(SUSPENDING, type);
export const isSuspend = (event: AgentEvent): event is SuspendEvent => isSuspendType(event.type);
