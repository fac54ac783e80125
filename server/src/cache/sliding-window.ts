/** Sliding-window rate limiting in slots of a sixtieth of the window: never more than the limit in any window, in constant memory. */

/** A place counts until the end of its slot has left the window, so a refusal may last a sixtieth longer than necessary. */
export const SLOTS = 60;

export const slotMsOf = (windowMs: number): number => Math.max(1, Math.ceil(windowMs / SLOTS));

export interface Place {
  isTaken: boolean;
  /** Milliseconds until a place is free; 0 if one was taken. */
  retryMs: number;
  /** Places that are left. */
  remaining: number;
  /** Milliseconds until all places are free. */
  resetMs: number;
  /** The slot of the place, for `releaseSlot`. */
  slot: number;
  /** Its slot in this process's memory, whose clock may differ from that of the shared cache. */
  ownSlot: number;
  /** True if it was taken in the shared cache. */
  isShared: boolean;
}

export class SlidingWindow {
  readonly #slotMs: number;
  /** In the order of time. */
  readonly #slots = new Map<number, number>();
  #total = 0;
  #newest = 0;

  constructor(windowMs: number) {
    this.#slotMs = slotMsOf(windowMs);
  }

  /** Takes a place if fewer than `limit` are taken; a refused call is not counted. */
  take(limit: number, nowMs: number): Place {
    const retryMs = this.peek(limit, nowMs);
    const slot = Math.floor(nowMs / this.#slotMs);
    if (retryMs === 0) this.#add(slot);
    const left = { remaining: Math.max(0, limit - this.#total), resetMs: this.#resetMs(nowMs) };
    return { isTaken: retryMs === 0, retryMs, ...left, slot, ownSlot: slot, isShared: false };
  }

  /** Milliseconds until a place is free; 0 if one is. */
  peek(limit: number, nowMs: number): number {
    const slot = Math.floor(nowMs / this.#slotMs);
    this.#forgetBefore(slot - SLOTS);
    if (this.#newest > slot + SLOTS) this.#forgetAll();
    return this.#total >= limit ? Math.max(1, this.#retryMs(limit, nowMs)) : 0;
  }

  /** Counts a place that was taken in another store, above any limit; returns its slot. */
  adopt(nowMs: number): number {
    const slot = Math.floor(nowMs / this.#slotMs);
    this.#forgetBefore(slot - SLOTS);
    this.#add(slot);
    return slot;
  }

  #add(slot: number): void {
    this.#slots.set(slot, (this.#slots.get(slot) ?? 0) + 1);
    this.#total += 1;
    if (slot > this.#newest) this.#newest = slot;
  }

  /** The clock was set back by more than the window: earlier counts would refuse until it has caught up. */
  #forgetAll(): void {
    this.#slots.clear();
    this.#total = 0;
    this.#newest = 0;
  }

  releaseSlot(slot: number): void {
    const count = this.#slots.get(slot);
    if (count === undefined) return;
    this.#total -= 1;
    if (count > 1) this.#slots.set(slot, count - 1);
    else this.#slots.delete(slot);
  }

  /** True if every count has left the window. */
  isOver(nowMs: number): boolean {
    return this.#newest < Math.floor(nowMs / this.#slotMs) - SLOTS;
  }

  #forgetBefore(oldest: number): void {
    for (const [slot, count] of this.#slots) {
      if (slot >= oldest) return;
      this.#slots.delete(slot);
      this.#total -= count;
    }
  }

  /** When the newest has expired. */
  #resetMs(nowMs: number): number {
    return Math.max(0, (this.#newest + SLOTS + 1) * this.#slotMs - nowMs);
  }

  /** When so many of the oldest have expired that fewer than `limit` are left. */
  #retryMs(limit: number, nowMs: number): number {
    let over = this.#total - limit + 1;
    for (const [slot, count] of this.#slots) {
      over -= count;
      if (over <= 0) return (slot + SLOTS + 1) * this.#slotMs - nowMs;
    }
    return this.#slotMs;
  }
}
