import { PlatformError } from '@millrace/kernel';
import type { z } from 'zod';

/** What an author wrote cannot be run. Says everything that is wrong at once, each with the field to change. */
export class DefinitionInvalid extends PlatformError {
  readonly code = 'DEFINITION_INVALID';
  readonly redelivery = 'park';
  readonly fields: readonly string[];

  constructor(
    what: string,
    readonly problems: readonly DefinitionProblem[],
  ) {
    super(`${what} cannot be used: ${problems.map(({ field, problem }) => `${field}: ${problem}`).join('; ')}`);
    this.fields = problems.map(({ field }) => field);
  }
}

export interface DefinitionProblem {
  readonly field: string;
  readonly problem: string;
}

export const problemsOf = (error: z.ZodError, within?: string): DefinitionProblem[] =>
  error.issues.map(({ path, message }) => ({
    field: [...(within ? [within] : []), ...path.map(String)].join('.') || '(all of it)',
    problem: message,
  }));
