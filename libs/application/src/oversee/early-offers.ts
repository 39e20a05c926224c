import type { RunId } from '@millrace/contracts';

const MOST = 1_000;

/** Which runs were offered to the workers before the event that calls for it was delivered. */
export class EarlyOffers {
  readonly #offers = new Map<RunId, Promise<boolean>>();

  /** An offer that fails was none. Resolves once that is known. */
  async add(run: RunId, offering: Promise<boolean>): Promise<void> {
    const offered = offering.then(
      () => true, // or its message was in the queue already
      () => false,
    );
    this.#offers.set(run, offered);
    if (this.#offers.size > MOST) this.#offers.delete(this.#offers.keys().next().value!);
    await offered;
  }

  /** Whether the run was offered; forgotten with the answer. */
  async take(run: RunId): Promise<boolean> {
    const offered = this.#offers.get(run);
    this.#offers.delete(run);
    return (await offered) ?? false;
  }
}
