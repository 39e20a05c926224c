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

  constructor(readonly problems: readonly FieldProblem[]) {
    super(problems.map(({ field, message }) => `${field}: ${message}`).join('; '));
  }

  /** `place` is what the fields belong to when the value itself is the problem. */
  static of(error: z.core.$ZodError, place: string): RequestInvalid {
    return new RequestInvalid(
      error.issues.slice(0, MOST_PROBLEMS).map(({ path, message }) => ({ field: path.join('.') || place, message })),
    );
  }
}

const MOST_PROBLEMS = 20;
