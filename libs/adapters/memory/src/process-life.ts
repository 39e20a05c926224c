/** Whether a process lives and moves, and what reaches it when it does not. */
export class ProcessLife {
  #isGone = false;
  #frozenAtMs: number | undefined;
  #stalls = 0;
  readonly #held: (() => void)[] = [];
  readonly #silent = new Set<() => void>();

  constructor(private readonly nowMs: () => number) {}

  get isGone(): boolean {
    return this.#isGone;
  }

  get isMoving(): boolean {
    return !this.#isGone && this.#frozenAtMs === undefined;
  }

  /** How often it stood still for so long that a message it held may be in other hands. */
  get stalls(): number {
    return this.#stalls;
  }

  /** It is killed: nothing reaches it any more. */
  crash(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#held.length = 0;
    this.fallSilent();
  }

  /** It stands still, as a stopped or starved process does, until it thaws. */
  freeze(): void {
    if (!this.isMoving) return;
    this.#frozenAtMs = this.nowMs();
    this.fallSilent();
  }

  /** It goes on with all that has reached it meanwhile, and knows that it stood still. */
  thaw(stallMs: number): void {
    if (this.#isGone || this.#frozenAtMs === undefined) return;
    if (this.nowMs() - this.#frozenAtMs > stallMs) this.#stalls += 1;
    this.#frozenAtMs = undefined;
    for (const heard of this.#held.splice(0)) heard();
  }

  /** Something reaches the process: now, when it thaws, or never. */
  reach(heard: () => void): void {
    if (this.#isGone) return;
    if (this.#frozenAtMs === undefined) heard();
    else this.#held.push(heard);
  }

  /** Told when the process says nothing more, for a while or for ever; the answer ends it. */
  onSilence(told: () => void): () => void {
    this.#silent.add(told);
    return () => void this.#silent.delete(told);
  }

  private fallSilent(): void {
    for (const told of [...this.#silent]) told();
  }
}
