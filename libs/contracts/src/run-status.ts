import { z } from 'zod';

export const RunStatus = z.enum([
  'PENDING',
  'QUEUED',
  'DISPATCHED',
  'RUNNING',
  'PAUSED',
  'CANCELED_REQUESTED',
  'SUCCEEDED',
  'FAILED',
  'CANCELED',
]);
export type RunStatus = z.infer<typeof RunStatus>;

/** The five words of the thread dialect. */
export const ThreadRunStatus = z.enum(['queued', 'running', 'done', 'error', 'canceled']);
export type ThreadRunStatus = z.infer<typeof ThreadRunStatus>;

/** `canceled` only once the terminal event is stored: until then the run is still being stopped. */
export const threadStatusOf = (status: RunStatus): ThreadRunStatus => {
  switch (status) {
    case 'PENDING':
    case 'QUEUED':
      return 'queued';
    case 'DISPATCHED':
    case 'RUNNING':
    case 'PAUSED':
    case 'CANCELED_REQUESTED':
      return 'running';
    case 'SUCCEEDED':
      return 'done';
    case 'FAILED':
      return 'error';
    case 'CANCELED':
      return 'canceled';
  }
};
