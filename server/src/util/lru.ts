/** A map with a bound: the entry that was set least recently is evicted when there is one too many. */

export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #limit: number;

  /** @param limit entries kept at most, 1 or more. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Reads without touching the order: who wants the entry kept longer sets it again. */
  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** Makes the entry the most recent one, and forgets the least recent one beyond the limit. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key); // a Map keeps the place of a key that it has
    this.#entries.set(key, value);
    if (this.#entries.size > this.#limit) this.#entries.delete(this.#entries.keys().next().value ?? key);
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
