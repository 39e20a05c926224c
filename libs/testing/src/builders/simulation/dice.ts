/**
 * Choices taken from a list of numbers, one after the other: whoever generated the list can also make it shorter, and
 * so find the shortest story that shows a fault. A list that has run out goes on with 0.
 */
export class Dice {
  private used = 0;

  constructor(private readonly numbers: readonly number[]) {}

  get left(): number {
    return Math.max(0, this.numbers.length - this.used);
  }

  below(limit: number): number {
    const number = this.numbers[this.used] ?? 0;
    this.used += 1;
    return number % limit;
  }

  oneIn(count: number): boolean {
    return this.below(count) === count - 1;
  }

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[this.below(from.length)] ?? from[0];
  }

  /** The one chosen, each as often as its weight says. */
  weigh<T>(options: readonly [Weighted<T>, ...Weighted<T>[]]): T {
    let left = this.below(options.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, option] of options) {
      if (left < weight) return option;
      left -= weight;
    }
    return options[0][1];
  }
}

export type Weighted<T> = readonly [weight: number, option: T];
