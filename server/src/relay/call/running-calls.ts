/** The calls under way, so that a server that stops can end them. */

/** A call as whoever stops the server knows it. */
export interface RunningCall {
  /** Its time is over: what is open of its answer ends with words. */
  stop(): void;
}

/**
 * Places that calls take in turn. No Set: one that is filled and emptied all the time makes itself a new table every few hundred calls, and
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

  /** Frees the place that `add` gave; to be told once. */
  remove(place: number): void {
    this.#places[place] = undefined;
    this.#free.push(place);
  }

  /** Stops every call that is there now; each of them is removed by itself once it is over. */
  stopAll(): void {
    for (const call of this.#places) call?.stop();
  }
}
