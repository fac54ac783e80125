/** The memory that one call's request takes: its body, what was made of it for an upstream, media that it names. Part of its user's share. */
import type { BudgetShares } from "../../upstream/budget.ts";
import { RelayError } from "./relay-error.ts";

const MEBIBYTE = 1_048_576;

export class RequestMemory {
  readonly #shares: BudgetShares;
  #userId = 0;
  #shareBytes = 0;
  #takenBytes = 0;
  #everTakenBytes = 0;
  #copyBytes = 0;

  constructor(shares: BudgetShares) {
    this.#shares = shares;
  }

  /** All bytes that the request took, those that were given back too. */
  get everTakenBytes(): number {
    return this.#everTakenBytes;
  }

  /** Whose share it is, and how many bytes that user's calls may have at a time. */
  allow(userId: number, shareBytes: number): void {
    this.#userId = userId;
    this.#shareBytes = shareBytes;
  }

  /** Throws RelayError: 429 beyond the user's share, 503 where all calls together have taken what there is. */
  take(bytes: number): void {
    const outcome = this.#shares.take(this.#userId, bytes, this.#shareBytes);
    if (outcome === "budget") throw new RelayError("over_capacity");
    if (outcome === "share")
      throw new RelayError("request_memory_exceeded", {
        message: `The requests of this user under way may have ${Math.floor(this.#shareBytes / MEBIBYTE)} MiB together. Try again when some are answered.`,
        retryAfterSeconds: 1,
      });
    this.#takenBytes += bytes;
    this.#everTakenBytes += bytes;
  }

  /** The same for a copy that takes the place of an earlier one: the body as another upstream wants it. */
  takeCopy(bytes: number): void {
    if (this.#copyBytes > 0) this.#shares.give(this.#userId, this.#copyBytes);
    this.#takenBytes -= this.#copyBytes;
    this.#copyBytes = 0;
    this.take(bytes);
    this.#copyBytes = bytes;
  }

  /** Gives everything back, once the request is not needed any more. */
  release(): void {
    if (this.#takenBytes > 0) this.#shares.give(this.#userId, this.#takenBytes);
    this.#takenBytes = 0;
    this.#copyBytes = 0;
  }
}
