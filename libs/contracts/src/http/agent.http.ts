import { z } from 'zod';
import { Name, RequestId, RunId } from '../ids.js';

export const StartAgentBody = z.object({ agent: Name, input: z.unknown().optional() });
export type StartAgentBody = z.infer<typeof StartAgentBody>;

export const AgentRunParams = z.object({ runId: RunId });
export const AgentInputBody = z.object({ requestId: RequestId, response: z.unknown() });
export type AgentInputBody = z.infer<typeof AgentInputBody>;
