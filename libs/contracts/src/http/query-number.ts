import { z } from 'zod';

/** A whole number in an address. Nothing, `1e3` and `0x10` are no numbers there, though JavaScript takes them for some. */
export const queryNumber = (least: number, most: number, usual: number) => {
  const needed = `must be a whole number${rangeOf(least, most)}`;
  return z
    .preprocess(
      (sent) => (typeof sent === 'string' && /^\d{1,15}$/.test(sent) ? Number(sent) : sent),
      z.int(needed).min(least, needed).max(most, needed),
    )
    .default(usual);
};

const rangeOf = (least: number, most: number): string =>
  most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`;
