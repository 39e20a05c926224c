import { ApiError } from '@millrace/client';
import type { AnswerRequest } from '@millrace/contracts';
import { useCallback } from 'react';
import { useFold } from './incremental-fold.js';
import { useMillrace } from './millrace-provider.js';
import { type InputRequested, openInputs } from './open-inputs.js';
import { useRunStream } from './use-run-stream.js';

export interface PendingInputs {
  /** What the run waits for, in the order it asked. */
  readonly pending: readonly InputRequested[];
  /** Tells whether this answer counted; another tab may have been quicker, which is no error. */
  readonly answer: (requestId: string, response: AnswerRequest) => Promise<boolean>;
}

const NONE: readonly InputRequested[] = [];
const TOO_LATE = new Set(['INPUT_ALREADY_ANSWERED', 'INPUT_EXPIRED', 'RUN_ENDED']);

export function usePendingInputs(runId: string | undefined): PendingInputs {
  const client = useMillrace();
  const { events } = useRunStream(runId);
  const pending = useFold(events, NONE, openInputs);
  const answer = useCallback(
    async (requestId: string, response: AnswerRequest): Promise<boolean> => {
      if (runId === undefined) throw new Error('There is no run to answer');
      try {
        await client.runs.answer(runId, requestId, response);
        return true;
      } catch (error) {
        if (error instanceof ApiError && TOO_LATE.has(error.code)) return false;
        throw error;
      }
    },
    [client, runId],
  );
  return { pending, answer };
}
