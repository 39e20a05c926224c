export const now = (): number => performance.now();

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = now();
  await work();
  return now() - begin;
}

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/**
 * Both in turn, several times, and the median of each: on a shared machine what disturbs one round disturbs the other
 * as much, and a comparison of two long halves would compare the weather.
 */
export async function inTurn(
  rounds: number,
  ours: () => Promise<number>,
  raw: () => Promise<number>,
): Promise<{ ours: number; raw: number }> {
  await ours(); // warm
  await raw();
  const results = { ours: [] as number[], raw: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const both = [async () => results.ours.push(await ours()), async () => results.raw.push(await raw())];
    for (const run of round % 2 === 0 ? both : both.reverse()) await run();
  }
  return { ours: median(results.ours), raw: median(results.raw) };
}
