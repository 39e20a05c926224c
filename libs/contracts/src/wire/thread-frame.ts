import { z } from 'zod';

/** The payloads of the thread dialect, by the `event:` they are sent under. A heartbeat is a comment and has none. */
export const THREAD_FRAMES = {
  token: z.object({ text: z.string().min(1) }),
  tool_start: z.object({ tool: z.string(), input: z.unknown() }),
  tool_end: z.object({ tool: z.string(), output: z.unknown() }),
  final: z.object({ text: z.string(), sources: z.array(z.string()) }),
  error: z.object({ error: z.string() }),
  canceled: z.object({ reason: z.string() }),
  /** The last of a run, after `final`, `error` or `canceled`. */
  state: z.object({ status: z.enum(['done', 'error', 'canceled']) }),
} as const;

export type ThreadFrameType = keyof typeof THREAD_FRAMES;
export type ThreadFrameData<T extends ThreadFrameType> = z.infer<(typeof THREAD_FRAMES)[T]>;
export type ThreadFrame = { [T in ThreadFrameType]: { event: T; data: ThreadFrameData<T> } }[ThreadFrameType];
