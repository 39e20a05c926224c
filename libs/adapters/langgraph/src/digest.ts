import { createHash } from 'node:crypto';

/** A short name for a content: 96 bits, enough to tell apart what one run holds. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16);
