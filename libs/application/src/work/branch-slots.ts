/** How many branches of steps of several a worker runs beside the one each run has anyway. */
export class BranchSlots {
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  tryTake(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  give(): void {
    this.#free += 1;
  }
}
