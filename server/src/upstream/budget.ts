/** Bytes that all calls together may keep in memory at one time: bodies, answers in one piece and unfinished event lines. */

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
