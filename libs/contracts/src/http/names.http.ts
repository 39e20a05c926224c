import { z } from 'zod';

/**
 * A name as a client may choose one: what a person can read, in one line. Stored events may have others (`Name`), from
 * before this was asked for: what is in the log stays readable.
 */
export const PrintableName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters, like line feeds');
