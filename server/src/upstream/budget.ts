/** The memory budget of all calls together, for bodies, buffered responses and unfinished event lines, and each caller's share. */

export class ByteBudget {
  readonly limitBytes: number;
  #taken = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /** Takes so many bytes; false, and nothing taken, where they would not fit. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.limitBytes) return false;
    this.#taken += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#taken -= bytes;
  }

  get takenBytes(): number {
    return this.#taken;
  }
}

/** Each caller's share of a budget, so that one cannot take what all the others need. */
export class BudgetShares {
  readonly #budget: ByteBudget;
  readonly #takenBytes = new Map<number, number>();

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /** Takes bytes for a caller who may have `shareBytes` at a time: `share` or `budget` says what they would have gone beyond. */
  take(callerId: number, bytes: number, shareBytes: number): "taken" | "share" | "budget" {
    const taken = (this.#takenBytes.get(callerId) ?? 0) + bytes;
    if (taken > shareBytes) return "share";
    if (!this.#budget.take(bytes)) return "budget";
    this.#takenBytes.set(callerId, taken);
    return "taken";
  }

  give(callerId: number, bytes: number): void {
    this.#budget.give(bytes);
    const taken = (this.#takenBytes.get(callerId) ?? 0) - bytes;
    if (taken > 0) this.#takenBytes.set(callerId, taken);
    else this.#takenBytes.delete(callerId);
  }
}
