import { PlatformError } from '@millrace/kernel';
import type { Usage } from '@millrace/contracts';

export type LlmContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'toolResult'; readonly id: string; readonly output: unknown; readonly isError?: boolean };

export interface LlmMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly LlmContent[];
}

export interface LlmTool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its input. */
  readonly inputSchema: unknown;
}

export interface LlmRequest {
  readonly model: string;
  readonly system?: string;
  readonly messages: readonly LlmMessage[];
  readonly tools?: readonly LlmTool[];
  readonly maxTokens?: number;
  readonly temperature?: number;
}

/** What a model says, piece by piece; `end` is the last and says how it ended. */
export type LlmChunk =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thought'; readonly text: string }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'end'; readonly stopReason: string; readonly usage: Usage };

/** A language model, whoever hosts it. */
export abstract class LlmPort {
  /** Stops what is in flight, at the vendor too, when `signal` aborts. Rejects with {@link LlmFailed}. */
  abstract stream(request: LlmRequest, signal: AbortSignal): AsyncIterable<LlmChunk>;
}

export class LlmFailed extends PlatformError {
  readonly code = 'LLM_FAILED';

  constructor(
    message: string,
    /** `retry` for what passes by itself (overload, time-out), `park` for what never will (a bad request). */
    readonly redelivery: 'retry' | 'park',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
