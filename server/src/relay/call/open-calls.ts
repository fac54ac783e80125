/** Open calls: how many each token or channel has, in this process and over the cache in all, and which ones a stopping server has to end. */
import { type Cache, type Lease, shareOf } from "../../cache/cache.ts";

/** A call that is counted until `ended` is called with it. */
export interface OpenCall {
  id: number;
  lease: Lease | undefined;
}

interface OpenCallsOptions {
  /** What is counted; keeps ids of tokens and of channels apart. */
  kind: "token" | "channel";
  cache: Cache;
  /** Processes that divide a limit where nothing is shared. */
  processCount: () => number;
}

export class OpenCalls {
  readonly #options: OpenCallsOptions;
  readonly #counts = new Map<number, number>();

  constructor(options: OpenCallsOptions) {
    this.#options = options;
  }

  /** Open in this process. */
  count(id: number): number {
    return this.#counts.get(id) ?? 0;
  }

  /** What this process may have open of a limit (0: none) by itself. */
  #part(limit: number, isShared: boolean): number {
    if (limit === 0) return Number.POSITIVE_INFINITY;
    return isShared ? limit : shareOf(limit, this.#options.processCount());
  }

  /** False where what is open in this process leaves no room for one more call; others may have what room there is. */
  hasRoom(id: number, limit: number): boolean {
    return this.count(id) < this.#part(limit, this.#options.cache.isShared);
  }

  /** Counts a call that begins, in this process at once; undefined where the limit (0: none, nothing is asked) leaves no room for it. */
  begin(id: number, limit: number): OpenCall | Promise<OpenCall | undefined> {
    this.#counts.set(id, this.count(id) + 1);
    return limit === 0 ? { id, lease: undefined } : this.#leased(id, limit);
  }

  async #leased(id: number, limit: number): Promise<OpenCall | undefined> {
    const { cache, kind } = this.#options;
    const lease = await cache.lease(`${kind}:${id}`, limit);
    const isIn = lease.state === "unknown" ? this.count(id) <= this.#part(limit, false) : lease.state === "held";
    const call = { id, lease };
    if (isIn) return call;
    this.ended(call);
    return undefined;
  }

  ended({ id, lease }: OpenCall): void {
    const left = this.count(id) - 1;
    if (left > 0) this.#counts.set(id, left);
    else this.#counts.delete(id);
    if (lease !== undefined) void this.#options.cache.release(lease);
  }
}

/** A call as the server's stop knows it. */
export interface RunningCall {
  /** Its time is over: what is open of its answer ends with words. */
  stop(): void;
}

/**
 * Places that calls take again and again. No Set: one that is filled and emptied all the time makes itself a new table every few hundred calls, and
 * the old ones, which the collector takes for old objects, keep the calls that they name until its next full collection.
 */
export class RunningCalls {
  readonly #places: (RunningCall | undefined)[] = [];
  readonly #free: number[] = [];

  /** Gives the place that the call takes until `remove`. */
  add(call: RunningCall): number {
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = call;
    return place;
  }

  /** Frees the place that `add` gave; call it once. */
  remove(place: number): void {
    this.#places[place] = undefined;
    this.#free.push(place);
  }

  /** Stops every call that is there now; each of them is removed by itself once it is over. */
  stopAll(): void {
    for (const call of this.#places) call?.stop();
  }
}
