import { z } from 'zod';

/** A command whose body says nothing may have none. */
export const optional = <T extends z.ZodObject>(schema: T) =>
  z.preprocess((body) => (body === undefined || body === null ? {} : body), schema);
