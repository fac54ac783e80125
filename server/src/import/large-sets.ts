/** Compact sets of millions of numbers or texts, in a few bytes each, for facts about a whole source. */
import { hash } from "node:crypto";

const FIRST_CAPACITY = 1_024;

/** Whole numbers, 8 bytes each; quickest where they come in their order. */
export class NumberSet {
  #numbers = new Float64Array(FIRST_CAPACITY);
  #count = 0;
  #isSorted = true;

  get size(): number {
    return this.#count;
  }

  /** @param number that was not added before */
  add(number: number): void {
    if (this.#count === this.#numbers.length) {
      const larger = new Float64Array(2 * this.#count);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    if (this.#count > 0 && (this.#numbers[this.#count - 1] ?? 0) > number) this.#isSorted = false;
    this.#numbers[this.#count] = number;
    this.#count += 1;
  }

  /** Place of the number in their order; -1 where it is not among them. Stays as it is once all are added. */
  placeOf(number: number): number {
    if (!this.#isSorted) {
      this.#numbers.subarray(0, this.#count).sort();
      this.#isSorted = true;
    }
    let [low, high] = [0, this.#count - 1];
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.#numbers[middle] ?? 0;
      if (found === number) return middle;
      if (found < number) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  has(number: number): boolean {
    return this.placeOf(number) >= 0;
  }
}

/** A sum for each number of a set, 8 bytes each. */
export class NumberSums {
  readonly #numbers: NumberSet;
  readonly #sums: Float64Array;
  /** Of numbers that are not in the set. */
  readonly #others = new Map<number, number>();

  /** @param numbers all of them, added before */
  constructor(numbers: NumberSet) {
    this.#numbers = numbers;
    this.#sums = new Float64Array(numbers.size);
  }

  add(number: number, amount: number): void {
    const place = this.#numbers.placeOf(number);
    if (place < 0) this.#others.set(number, (this.#others.get(number) ?? 0) + amount);
    else this.#sums[place] = (this.#sums[place] ?? 0) + amount;
  }

  get(number: number): number {
    const place = this.#numbers.placeOf(number);
    return place < 0 ? (this.#others.get(number) ?? 0) : (this.#sums[place] ?? 0);
  }
}

/** Part of the places that may be full before the table grows. */
const FULL = 0.6;

/** Texts by 64 bits of their SHA-256, 8 to 27 bytes each: of ten million texts two are taken for one with a chance of one in 400,000. */
export class TextSet {
  #places = new BigUint64Array(FIRST_CAPACITY);
  #count = 0;

  constructor(texts: Iterable<string> = []) {
    for (const text of texts) this.add(text);
  }

  /** 0 stands for an empty place. */
  #markOf(text: string): bigint {
    return hash("sha256", text, "buffer").readBigUInt64LE(0) || 1n;
  }

  /** The place of the mark, or the empty one where it belongs. */
  #placeOf(mark: bigint): number {
    const last = this.#places.length - 1;
    let place = Number(mark & BigInt(last));
    while (this.#places[place] !== 0n && this.#places[place] !== mark) place = (place + 1) & last;
    return place;
  }

  #grow(): void {
    const before = this.#places;
    this.#places = new BigUint64Array(2 * before.length);
    for (const mark of before) if (mark !== 0n) this.#places[this.#placeOf(mark)] = mark;
  }

  has(text: string): boolean {
    return this.#places[this.#placeOf(this.#markOf(text))] !== 0n;
  }

  add(text: string): void {
    const mark = this.#markOf(text);
    const place = this.#placeOf(mark);
    if (this.#places[place] === mark) return;
    this.#places[place] = mark;
    this.#count += 1;
    if (this.#count > FULL * this.#places.length) this.#grow();
  }
}
