/** Tests of the axes: round ticks that reach the greatest value, and rounded parts that add up to their rounded sum. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decimalsOf, labelEvery, linePoints, roundTicks, roundTogether } from "./scale.ts";

describe("ticks", () => {
  it.each([
    [129, [0, 50, 100, 150]],
    [150, [0, 50, 100, 150]],
    [6.3, [0, 2, 4, 6, 8]],
    [0.31, [0, 0.1, 0.2, 0.3, 0.4]],
    [1, [0, 0.5, 1]],
    [8_400_000, [0, 5_000_000, 10_000_000]],
    [0, [0, 1]],
  ])("of %d are round", (max, ticks) => {
    expect(roundTicks(max)).toEqual(ticks);
  });

  it("of counts are whole", () => {
    expect(roundTicks(1, true)).toEqual([0, 1]);
    expect(roundTicks(3, true)).toEqual([0, 1, 2, 3]);
  });

  it("reach every value in at most five lines", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (max) => {
        const ticks = roundTicks(max);
        expect(ticks.at(-1) ?? 0).toBeGreaterThanOrEqual(max * (1 - 1e-8));
        expect(ticks.length).toBeLessThanOrEqual(5);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
      }),
    );
  });

  it("say how many decimals they need", () => {
    expect([50, 1, 0.5, 0.2, 0.05, 0.001].map(decimalsOf)).toEqual([0, 0, 1, 1, 2, 3]);
  });
});

describe("parts", () => {
  it("add up to the rounded whole, each within one unit of itself", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50_000_000 }), { maxLength: 12 }), (quotas) => {
        const dollars = quotas.map((quota) => quota / 500_000);
        const rounded = roundTogether(dollars, 2);
        const cents = rounded.reduce((sum, part) => sum + Math.round(part * 100), 0);
        const total = quotas.reduce((sum, quota) => sum + quota, 0) / 5000;
        expect(Math.abs(cents - total)).toBeLessThanOrEqual(0.5 + 1e-6);
        for (const [index, part] of rounded.entries())
          expect(Math.abs(part - (dollars[index] ?? 0))).toBeLessThan(0.01 + 1e-9);
      }),
    );
    expect(roundTogether([100 / 3, 100 / 3, 100 / 3], 1)).toEqual([33.4, 33.3, 33.3]);
    expect(roundTogether([], 2)).toEqual([]);
  });
});

describe("lines and labels", () => {
  it("draw one point and equal points level, in the middle, and nothing on the ground", () => {
    expect(linePoints([7], 90, 34, 2)).toEqual([
      [0, 17],
      [90, 17],
    ]);
    expect(linePoints([3, 3, 3], 90, 34, 2).map(([, y]) => y)).toEqual([17, 17, 17]);
    expect(linePoints([0, 0], 90, 34, 2).map(([, y]) => y)).toEqual([32, 32]);
    expect(linePoints([0, 10], 90, 34, 2)).toEqual([
      [0, 32],
      [90, 2],
    ]);
  });

  it("leave labels out until they fit", () => {
    expect([labelEvery(36, 72), labelEvery(100, 72), labelEvery(5, 72)]).toEqual([2, 1, 15]);
  });
});
