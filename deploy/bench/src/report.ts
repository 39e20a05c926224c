/** One line of a benchmark: what we did, what the raw client did in the same run, and how they compare. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly raw: number;
  /** What the ratio says: more is better for a rate, less is better for a time. */
  readonly goal?: { readonly text: string; readonly isMet: (ratio: number, measure: Measure) => boolean };
}

export const ratioOf = ({ ours, raw }: Measure): number => ours / raw;

export function print(title: string, measures: readonly Measure[]): void {
  console.log(`\n${title}`);
  const rows = measures.map((measure) => [
    measure.name,
    `${round(measure.ours)} ${measure.unit}`,
    `${round(measure.raw)} ${measure.unit}`,
    ratioOf(measure).toFixed(2),
    measure.goal === undefined
      ? ''
      : `${measure.goal.text}${measure.goal.isMet(ratioOf(measure), measure) ? '' : '  MISSED'}`,
  ]);
  const table = [['', 'ours', 'raw', 'ratio', 'aim'], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  for (const row of table)
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    );
}

const round = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 3);
