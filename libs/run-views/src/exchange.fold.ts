import { isInternalTool, type RunEventOf } from '@millrace/contracts';
import { eventKey, sequenceOf, speakerOf } from './event-rows.js';
import type { InProject, InputRequestRow, ToolCallRow } from './rows.js';
import { moment } from './storable.js';

/** What a run asks for and is given: of tools, and of people. */
export const requestedTool = (event: RunEventOf<'ToolRequested'>, run: InProject): ToolCallRow => ({
  ...eventKey(event, run),
  ...speakerOf(event),
  toolUseId: event.toolUseId,
  tool: event.tool,
  input: event.input ?? null,
  needsApproval: event.needsApproval ?? false,
  isInternal: isInternalTool(event.tool),
  status: 'open',
  progress: null,
  output: null,
  error: null,
  finishedAt: null,
  finishedSequence: null,
});

export const evolveToolCall = (
  call: ToolCallRow,
  event: RunEventOf<'ToolProgressed' | 'ToolFinished'>,
): ToolCallRow => {
  if (call.status !== 'open') return call;
  switch (event.kind) {
    case 'ToolProgressed':
      return { ...call, progress: event.status };
    case 'ToolFinished':
      return {
        ...call,
        status: event.ok ? 'ok' : 'failed',
        output: event.output ?? null,
        error: event.error ?? null,
        finishedAt: moment(event.ts),
        finishedSequence: sequenceOf(event),
      };
  }
};

export const requestedInput = (event: RunEventOf<'InputRequested'>, run: InProject): InputRequestRow => ({
  ...eventKey(event, run),
  ...speakerOf(event),
  requestId: event.requestId,
  type: event.request.type,
  request: event.request,
  status: 'open',
  expiresAt: event.expiresAt === undefined ? null : moment(event.expiresAt),
  response: null,
  answeredBy: null,
  closedAt: null,
});

export const evolveInputRequest = (
  request: InputRequestRow,
  event: RunEventOf<'InputProvided' | 'InputExpired'>,
): InputRequestRow => {
  if (request.status !== 'open') return request;
  const closedAt = moment(event.ts);
  switch (event.kind) {
    case 'InputProvided':
      return { ...request, status: 'answered', response: event.response ?? null, answeredBy: event.by, closedAt };
    case 'InputExpired':
      return { ...request, status: 'expired', closedAt };
  }
};
