/** How many calls of one relay wait for a limit to let them in: bounded for each user and in all, for each keeps its body in memory. */

const MOST_OF_USER = 32;
const MOST_IN_ALL = 1_024;

export class WaitingCalls {
  readonly #ofUsers = new Map<number, number>();
  #count = 0;

  /** Calls that wait now. */
  get count(): number {
    return this.#count;
  }

  /** Takes a place to wait at; false where there is none. Call `leave` for each that was taken. */
  enter(userId: number): boolean {
    const own = this.#ofUsers.get(userId) ?? 0;
    if (own >= MOST_OF_USER || this.#count >= MOST_IN_ALL) return false;
    this.#ofUsers.set(userId, own + 1);
    this.#count += 1;
    return true;
  }

  leave(userId: number): void {
    const left = (this.#ofUsers.get(userId) ?? 1) - 1;
    if (left > 0) this.#ofUsers.set(userId, left);
    else this.#ofUsers.delete(userId);
    this.#count -= 1;
  }
}
