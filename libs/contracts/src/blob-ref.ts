import { z } from 'zod';

/** What stands in an event for a payload that lies in the object store, named by its content. */
export const BlobRef = z.object({
  ref: z.string().regex(/^sha256-[0-9a-f]{64}$/),
  bytes: z.int().positive(),
  mediaType: z.string().min(1),
});
export type BlobRef = z.infer<typeof BlobRef>;

/** Above this an event's largest fields travel by reference. */
export const MAX_INLINE_BYTES = 64 * 1024;
