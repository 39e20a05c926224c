/** Why a command makes no sense. Stable: clients match on them. */
export const REFUSALS = {
  RUN_NOT_FOUND: 'No such run.',
  RUN_EXISTS: 'This run was requested before, with other content.',
  RUN_ENDED: 'The run has ended; nothing more can happen to it.',
  RUN_NOT_RUNNING: 'Only a running run can do this.',
  RUN_NOT_PAUSED: 'Only a paused run can be resumed.',
  RUN_PAUSED: 'The run is paused; resume it first.',
  RUN_NOT_STARTED: 'The run has not been dispatched yet.',
  RUN_NOT_ENDED: 'Only a run that has ended can be asked for again.',
  RUN_AWAITS_IMPROVEMENT: 'The run waits for what is to improve it.',
  RUN_STARTED: 'The run has been dispatched already.',
  RUN_CANCEL_REQUESTED: 'The run is being canceled; it can only end as canceled.',
  CANCEL_NOT_REQUESTED: 'Nobody asked for this run to be canceled.',
  TASK_NOT_FOUND: 'The run has no such task.',
  TASK_CONFLICT: 'A task with this key was scheduled for another node or input.',
  TASK_NOT_STARTED: 'The task has not been started.',
  TASK_FINISHED: 'The task has a result already; finished work never runs again.',
  TASK_WAITING: 'The task waits for an answer that has not come.',
  TASKS_OPEN: 'The run cannot finish while tasks are open.',
  ATTEMPT_SUPERSEDED: 'Another worker has taken this task over.',
  ATTEMPT_INVALID: 'Attempts count up by one.',
  INPUT_NOT_FOUND: 'The run has no such request for input.',
  INPUT_EXISTS: 'A request with this id was made before, with other content.',
  INPUT_ALREADY_ANSWERED: 'The request was answered already.',
  INPUT_EXPIRED: 'The request has expired.',
  TOOL_NOT_REQUESTED: 'A tool can only report on a call that was requested.',
  TOOL_CONFLICT: 'A call with this id was requested before, with another tool.',
  TOOL_FINISHED: 'The call has its response already.',
  POLICY_MISMATCH: 'The run does not follow the policy that was to be replaced.',
} as const;
export type RefusalCode = keyof typeof REFUSALS;

/** Why a run failed (`RunFailed.errorCode`). */
export const RUN_ERROR_CODES = [
  'MAX_RETRIES_EXCEEDED',
  'NON_RETRYABLE_ERROR',
  'NON_DETERMINISTIC_GRAPH',
  'AGENT_NOT_FOUND',
  'AGENT_VERSION_GONE',
  'RECURSION_LIMIT_EXCEEDED',
  'INPUT_INVALID',
  'INTERNAL_ERROR',
] as const;
export type RunErrorCode = (typeof RUN_ERROR_CODES)[number];
