import { z } from 'zod';
import { RequestId, RunId } from '../ids.js';
import { described } from './described.js';
import { PrintableName } from './names.http.js';

export const StartAgentBody = z.strictObject({ agent: PrintableName, input: z.unknown().optional() });
export type StartAgentBody = z.infer<typeof StartAgentBody>;

export const AgentRunParams = z.object({ runId: RunId });
export const AgentInputBody = z.strictObject({ requestId: RequestId, response: described('InputResponse') });
export type AgentInputBody = z.infer<typeof AgentInputBody>;
