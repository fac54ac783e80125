/** Tests that each channel has exactly the chance that its weight gives it among those not drawn yet, however it is drawn. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { listedOrder, weightedOrder } from "./weighted-order.ts";

/** What a weight is raised by, as the documentation of channels says. */
const SMOOTHING = 10;
const WEIGHTS = [0, 5, 90, 0, 25];
const SHARES = WEIGHTS.map((weight) => weight + SMOOTHING);
const TOTAL = SHARES.reduce((sum, share) => sum + share, 0);

/** An order reads nothing of a channel but its weight; the test knows them by their ids. */
const tierOf = (weights: readonly number[]) => weights.map((weight, id) => ({ id, weight }) as SnapshotChannel);

/** Gives these numbers one after the other, and no more. */
function numbers(values: readonly number[]): () => number {
  const rest = [...values];
  return () => {
    const value = rest.shift();
    if (value === undefined) throw new Error("one number more than expected");
    return value;
  };
}

/** The middle of each of `cells` equal parts of what a random number may be: weights are whole, so no part leads to two channels. */
const grid = (cells: number): number[] => Array.from({ length: cells }, (_, cell) => (cell + 0.5) / cells);

/** How many of the parts lead to each channel as the `draw`th; `before` are the numbers of the draws before it. */
function partsOf(cells: number, draw: number, before: readonly number[]): Record<string, number> {
  const tier = tierOf(WEIGHTS);
  const counts: Record<string, number> = {};
  for (const value of grid(cells)) {
    const order = weightedOrder(tier, numbers([...before, value]));
    for (let passed = 1; passed < draw; passed += 1) order.next();
    const id = String(order.next().value?.id);
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}

const sharesBut = (without: readonly number[]) =>
  Object.fromEntries(SHARES.flatMap((share, id) => (without.includes(id) ? [] : [[String(id), share]])));
/** A number that leads to a channel in a draw from the whole tier. */
const towards = (id: number): number => (SHARES.slice(0, id).reduce((sum, share) => sum + share, 0) + 0.5) / TOTAL;

describe("the order of a tier's channels", () => {
  test("the first draw goes to each channel by its share, to the last part", () => {
    expect(partsOf(TOTAL, 1, [])).toEqual(sharesBut([]));
  });

  test.each(SHARES.keys().toArray())("after channel %i the others have their shares among themselves", (first) => {
    const drawn = new Map<string, number>();
    for (const value of grid(TOTAL)) {
      // What leads to the first once more is no answer: the next number decides, here towards another channel.
      const other = (first + 1) % SHARES.length;
      let asked = 0;
      const values = [towards(first), value, towards(other)];
      const order = weightedOrder(tierOf(WEIGHTS), () => values[asked++] ?? 0);
      order.next();
      const id = order.next().value?.id;
      if (asked === 3) expect(id).toBe(other);
      else drawn.set(String(id), (drawn.get(String(id)) ?? 0) + 1);
    }
    expect(Object.fromEntries(drawn)).toEqual(sharesBut([first]));
  });

  test("after many draws in vain the others are listed, and their shares stay the same", () => {
    const first = 2;
    const inVain = Array.from({ length: 33 }, () => towards(first));
    expect(partsOf(TOTAL - (SHARES[first] ?? 0), 2, inVain)).toEqual(sharesBut([first]));
  });

  test("every order has each channel once, whatever the weights and numbers", () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { maxLength: 60 }), fc.array(random, { minLength: 1 }), (weights, values) => {
        const tier = tierOf(weights);
        for (const orderOf of [weightedOrder, listedOrder]) {
          let asked = 0;
          const ids = [...orderOf(tier, () => values[asked++ % values.length] ?? 0)].map(({ id }) => id);
          expect(ids.toSorted((a, b) => a - b)).toEqual(tier.map(({ id }) => id));
        }
      }),
    );
  });

  test("a first draw looks at no more channels of 10,000 than a search in halves does", () => {
    const looked = new Set<PropertyKey>();
    const tier = tierOf(Array.from({ length: 10_000 }, (_, id) => id % 7));
    weightedOrder(tier, () => 0.3).next(); // The sums are worked out once for a tier.
    const watched = new Proxy(tier, { get: (target, key, self) => (looked.add(key), Reflect.get(target, key, self)) });
    const draw = weightedOrder(watched, () => 0.6);
    draw.next();
    looked.clear();
    weightedOrder(watched, () => 0.9).next();
    expect([...looked].filter((key) => /^\d+$/.test(String(key)))).toHaveLength(1);
  });
});
