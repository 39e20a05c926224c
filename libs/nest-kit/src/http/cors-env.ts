import { z } from 'zod';
import { listEnv } from '../service-env.js';

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;

/** Whose pages may call. None by default, and never everybody: credentials go with the answer. */
export const corsEnv = {
  CORS_ORIGINS: listEnv.refine(
    (origins) => origins.every(isOrigin),
    'must be origins like https://app.example.com, without a path, separated by commas',
  ),
};

export const corsConfig = (env: z.infer<z.ZodObject<typeof corsEnv>>): readonly string[] => env.CORS_ORIGINS;
