/** One line of a benchmark: what we did, what the raw side did in the same run, and how they compare. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** None where nothing does the same without us. */
  readonly raw?: number;
  readonly goal?: Goal;
}

/** What the ratio, or our own figure, should be. A line that misses it says so, and nothing fails. */
export interface Goal {
  readonly text: string;
  readonly isMet: (ratio: number, measure: Measure) => boolean;
}

export const oursAtLeast = (least: number): Goal => ({
  text: `>= ${least.toLocaleString('en')}`,
  isMet: (_ratio, { ours }) => ours >= least,
});
export const oursAtMost = (most: number): Goal => ({
  text: `<= ${most.toLocaleString('en')}`,
  isMet: (_ratio, { ours }) => ours <= most,
});

export function print(title: string, measures: readonly Measure[]): void {
  const rows = measures.map((measure) => {
    const { name, unit, ours, raw, goal } = measure;
    const ratio = raw === undefined ? Number.NaN : ours / raw;
    return [
      name,
      `${round(ours)} ${unit}`,
      raw === undefined ? '' : `${round(raw)} ${unit}`,
      raw === undefined ? '' : ratio.toFixed(2),
      goal === undefined ? '' : `${goal.text}${goal.isMet(ratio, measure) ? '' : '  MISSED'}`,
    ];
  });
  printTable(title, [['', 'ours', 'raw', 'ratio', 'aim'], ...rows]);
}

/** The first row is the head. */
export function printTable(title: string, table: readonly (readonly string[])[]): void {
  console.log(`\n${title}`);
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  for (const row of table)
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    );
}

export const round = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 3);
