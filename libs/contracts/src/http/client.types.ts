import type { z } from 'zod';
import type { INPUT_RESPONSES, InputRequestType } from '../input-requests.js';
import type { AgentEvent, SuspendEvent } from '../wire/agent-event.js';
import type { AgentInputBody, StartAgentBody } from './agent.http.js';
import type { CommandBody, CreateRunBody, EventsPage, EventsQuery, RunStatusAnswer } from './native.http.js';
import type { DoneBody } from './requests.http.js';
import type { RetryBody } from './retry.http.js';
import type { AgentsQuery } from './catalogue.http.js';
import type { RunsQuery } from './run-list.http.js';
import type { LogsAnswer, MessagesAnswer, StepsAnswer, TrailAnswer } from './run-reads.http.js';
import type { CreateThreadBody, PostMessageBody, ThreadCreatedAnswer, ThreadRunView } from './thread.http.js';

/**
 * The same bodies as whoever writes a request sees them: before they are parsed, so with plain strings for ids. Types
 * only: a client has no use for the schemas.
 */
export type CreateRunRequest = z.input<typeof CreateRunBody>;
export type CommandRequest = z.input<typeof CommandBody>;
export type DoneRequest = z.input<typeof DoneBody>;
export type RetryRequest = z.input<typeof RetryBody>;
export type EventsRequest = { readonly [K in keyof z.infer<typeof EventsQuery>]?: number | undefined };
/** Every filter narrows. */
export type RunsRequest = Partial<Omit<z.input<typeof RunsQuery>, 'limit'>> & { readonly limit?: number | undefined };
export type AgentsRequest = Partial<Omit<z.input<typeof AgentsQuery>, 'limit'>> & {
  readonly limit?: number | undefined;
};
export type StartAgentRequest = z.input<typeof StartAgentBody>;
export type AgentInputRequest = z.input<typeof AgentInputBody>;
export type CreateThreadRequest = z.input<typeof CreateThreadBody>;
export type PostMessageRequest = z.input<typeof PostMessageBody>;
export type AnswerRequest<T extends InputRequestType = InputRequestType> = z.input<(typeof INPUT_RESPONSES)[T]>;

export type EventsPageAnswer = z.infer<typeof EventsPage>;
export type StatusAnswer = z.infer<typeof RunStatusAnswer>;
export type RunStepsAnswer = z.infer<typeof StepsAnswer>;
export type RunMessagesAnswer = z.infer<typeof MessagesAnswer>;
export type RunTrailAnswer = z.infer<typeof TrailAnswer>;
export type RunLogsAnswer = z.infer<typeof LogsAnswer>;
export type NewThreadAnswer = z.infer<typeof ThreadCreatedAnswer>;
export type ThreadRunAnswer = z.infer<typeof ThreadRunView>;

/** The events of the agent dialect as they are on the wire. */
export type WireAgentEvent = z.input<typeof AgentEvent>;
export type WireSuspendEvent = z.input<typeof SuspendEvent>;
