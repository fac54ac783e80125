/** The last answer of each lane of a socket, kept in memory so that a frame can continue from it with its new input alone; counted against its user's share. */
import type { BudgetShares } from "../../upstream/budget.ts";
import type { EarlierResponse } from "./frame.ts";

interface Kept {
  response: EarlierResponse;
  bytes: number;
}

/** Whose memory it is, and how many bytes that user's requests may have at a time. */
export interface MemoryShare {
  shares: BudgetShares;
  userId: number;
  shareBytes: number;
}

export class KeptResponses {
  readonly #share: MemoryShare;
  readonly #ofLanes = new Map<string, Kept>();

  constructor(share: MemoryShare) {
    this.#share = share;
  }

  /** The answer of that id; undefined where no lane has it as its last one. */
  find(id: string): EarlierResponse | undefined {
    for (const { response } of this.#ofLanes.values()) if (response.id === id) return response;
    return undefined;
  }

  /**
   * Keeps an answer in place of the lane's last one. Where the memory does not reach neither is kept: a client that names one then reads that
   * it is not found, and sends its conversation whole.
   */
  keep(lane: string, response: EarlierResponse): void {
    this.#drop(lane);
    const { shares, userId, shareBytes } = this.#share;
    const bytes = Buffer.byteLength(response.items);
    if (shares.take(userId, bytes, shareBytes) === "taken") this.#ofLanes.set(lane, { response, bytes });
  }

  /** Gives everything back. */
  clear(): void {
    for (const lane of this.#ofLanes.keys()) this.#drop(lane);
  }

  #drop(lane: string): void {
    const kept = this.#ofLanes.get(lane);
    if (kept === undefined) return;
    this.#ofLanes.delete(lane);
    this.#share.shares.give(this.#share.userId, kept.bytes);
  }
}
