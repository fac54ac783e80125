/** Tests of the colour map: by rank on first sight, kept from then on, never one colour twice in a view. */
import { describe, expect, it } from "vitest";
import { assignColors, OTHER_COLOR } from "./model-colors.ts";

const nine = Array.from({ length: 9 }, (_, index) => `m${index + 1}`);

describe("model colours", () => {
  it("follow the rank of spend on first sight", () => {
    const { colors, remembered } = assignColors({}, nine);
    expect([...colors.values()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(remembered).toEqual(Object.fromEntries(colors));
  });

  it("stay when the ranking is reversed", () => {
    const first = assignColors({}, nine);
    const second = assignColors(first.remembered, nine.toReversed());
    expect(new Map(second.colors)).toEqual(new Map(first.colors));
    expect(second.remembered).toEqual(first.remembered);
  });

  it("give a new model an unused colour, else one that is free in this view", () => {
    expect(assignColors({ a: 1, b: 2 }, ["new", "a", "b"]).colors.get("new")).toBe(3);
    const full = assignColors(assignColors({}, nine).remembered, ["m2", "new", "m1"]);
    expect(full.colors.get("new")).toBe(3);
    expect(full.remembered["new"]).toBe(3);
  });

  it("part two models of one colour for a view alone: the greater keeps it", () => {
    const before = { a: 3, b: 3 };
    const { colors, remembered } = assignColors(before, ["b", "a"]);
    expect(colors.get("b")).toBe(3);
    expect(colors.get("a")).not.toBe(3);
    expect(remembered).toEqual(before);
  });

  it("never repeat a colour in a view, and have none for a tenth model but that of the others", () => {
    const { colors, remembered } = assignColors({}, [...nine, "tenth"]);
    expect(new Set(colors.values()).size).toBe(10);
    expect(colors.get("tenth")).toBe(OTHER_COLOR);
    expect(remembered["tenth"]).toBeUndefined();
  });
});
