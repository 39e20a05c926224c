import { PlatformError } from '@millrace/kernel';
import type { z } from 'zod';

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** What was sent is not what the route takes. */
export class RequestInvalid extends PlatformError {
  readonly code = 'VALIDATION_FAILED';
  readonly redelivery = 'park';

  constructor(
    readonly problems: readonly FieldProblem[],
    options?: ErrorOptions,
  ) {
    super(problems.map(({ field, message }) => `${field}: ${message}`).join('; '), options);
  }

  /** `place` is what the fields belong to when the value itself is the problem. */
  static of(error: z.core.$ZodError, place: string): RequestInvalid {
    return new RequestInvalid(error.issues.flatMap((issue) => problemsIn(issue, place)).slice(0, MOST_PROBLEMS));
  }
}

const MOST_PROBLEMS = 20;

const problemsIn = (issue: z.core.$ZodIssue, place: string): FieldProblem[] => {
  if (issue.code !== 'unrecognized_keys') return [{ field: issue.path.join('.') || place, message: issue.message }];
  return issue.keys.map((key) => ({ field: [...issue.path, key].join('.'), message: 'is not known here' }));
};
