import type { Consumer } from '@nats-io/jetstream';

/**
 * Whether messages wait that nobody has taken. Each delivery says it of its own moment; a process whose slots stay taken
 * is given none, so it asks for the number, at most once in LOOK_EVERY_MS and only while somebody wants to know.
 */
export class WaitingCount {
  #waiting = 0;
  #knownAt = 0;

  constructor(
    private readonly consumer: Pick<Consumer, 'info'>,
    private readonly onUnknown: (cause: unknown) => void,
  ) {}

  saw(waiting: number): void {
    this.#waiting = waiting;
    this.#knownAt = performance.now();
  }

  /** As far as is known now; what is found out by it counts the next time. */
  isPositive(): boolean {
    if (performance.now() - this.#knownAt > LOOK_EVERY_MS) this.look();
    return this.#waiting > 0;
  }

  private look(): void {
    this.#knownAt = performance.now();
    this.consumer.info().then(
      ({ num_pending }) => this.saw(num_pending),
      this.onUnknown, // what was known still holds, and the next look asks again
    );
  }
}

const LOOK_EVERY_MS = 1_000;
