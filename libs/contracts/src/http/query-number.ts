import { z } from 'zod';

/** A whole number in an address. Nothing, `1e3` and `0x10` are no numbers there, though JavaScript takes them for some. */
export const queryNumber = (least: number, most: number, usual: number) =>
  z
    .preprocess(
      (sent) => (typeof sent === 'string' && /^\d{1,15}$/.test(sent) ? Number(sent) : sent),
      z.int('must be a whole number').min(least).max(most),
    )
    .default(usual);
