/** Tests of the figures that need no site settings: ticks of one unit, shares of 100, changes and days left. */
import { beforeAll, describe, expect, it, vi } from "vitest";
import type * as Margin from "../../../ui/charts/margin.ts";
import type * as Figures from "./figures.ts";

/** The language and the status read the browser's storage; the figures need no more of a browser. */
const stored = new Map<string, string>();
vi.stubGlobal("localStorage", {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => stored.set(key, value),
  removeItem: (key: string) => stored.delete(key),
});
vi.stubGlobal("navigator", { language: "en" });

let figures: typeof Figures;
let margins: typeof Margin;
beforeAll(async () => {
  stored.set("status", JSON.stringify({ quota_per_unit: 500_000, display_in_currency: true }));
  figures = await import("./figures.ts");
  margins = await import("../../../ui/charts/margin.ts");
});

describe("figures", () => {
  it("say of a cost that is there what it is, however little", () => {
    expect([0, 18, 400, 4_850, 5_000_000].map((quota) => figures.spendText(quota))).toEqual([
      "$0.00",
      "$0.000036",
      "$0.000800",
      "$0.0097",
      "$10.00",
    ]);
  });

  it("say what is left of charges, of which share of them, and that a loss is one", () => {
    const sums = (quota: number, costed_quota: number, cost: number) => ({ quota, costed_quota, cost });
    const gain = sums(1000, 970, 776);
    expect([margins.marginOf(gain), margins.marginShare(gain), margins.knownShare(gain)]).toEqual([
      194,
      "20.0%",
      "97.0%",
    ]);
    const loss = sums(1000, 1000, 1040);
    expect([margins.marginShare(loss), margins.knownShare(loss)]).toEqual(["−4.0%", "100%"]);
    expect(margins.signed(margins.marginOf(loss) * 500_000, (size) => figures.roundedAmount(size, 2))).toBe("−$40.00");
    const unknown = sums(1000, 0, 0);
    expect([margins.marginShare(unknown), margins.knownShare(unknown)]).toEqual([undefined, "0%"]);
    expect(margins.knownShare(sums(0, 0, 0))).toBeUndefined();
    expect(margins.knownShare(sums(1_000_000, 999_999, 0))).toBe(">99.9%");
    expect(margins.knownShare(sums(1_000_000, 1, 0))).toBe("<0.1%");
    expect([0, 12, 2_500, 1_000_000].map((quota) => figures.roundedAmount(quota, 2))).toEqual([
      "$0.00",
      "<$0.01",
      "$0.01",
      "$2.00",
    ]);
  });

  it("give every tick of an axis the unit of its top", () => {
    const axis = { step: 500_000, top: 1_500_000 };
    expect([0, 500_000, 1_000_000, 1_500_000].map((value) => figures.countTick(value, axis))).toEqual([
      "0",
      "0.5M",
      "1.0M",
      "1.5M",
    ]);
    expect(figures.countTick(20_000, { step: 20_000, top: 60_000 })).toBe("20k");
    expect(figures.countTick(2_000, { step: 1_000, top: 3_000 })).toBe("2,000");
  });

  it("write money so that parts add up to the total beside them", () => {
    const { parts, total } = figures.readTogether([166_667, 166_667, 166_667, 500_000], "spend");
    expect(parts).toEqual(["$0.34", "$0.33", "$0.33", "$1.00"]);
    expect(total).toBe("$2.00");
    expect(figures.readTogether([1500, 2], "tokens")).toEqual({ parts: ["1,500", "2"], total: "1,502" });
    expect(figures.spendText(1200)).toBe("$0.0024");
  });

  it("write shares that add up to 100, and none of nothing", () => {
    expect(figures.sharesOf([1, 1, 1])).toEqual(["33.4%", "33.3%", "33.3%"]);
    expect(figures.sharesOf([100_000, 1, 0])).toEqual(["100.0%", "<0.1%", "0.0%"]);
    expect(figures.readTogether([5_000_000, 100, 0], "spend").parts).toEqual(["$10.00", "<$0.01", "$0.00"]);
    expect(figures.sharesOf([0, 0])).toEqual(["–", "–"]);
    expect(figures.sharesOf([])).toEqual([]);
  });

  it("compare with what was before, where something was", () => {
    expect([
      figures.changeText(112.4, 100),
      figures.changeText(50, 100),
      figures.changeText(20.37, 1),
      figures.changeText(3, 3),
      figures.changeText(3, 0),
      figures.changeText(100_001, 100_000),
      figures.changeText(300, 1),
    ]).toEqual(["+12.4%", "−50.0%", "+1,937%", "±0.0%", undefined, "±0.0%", "×300"]);
    expect(["+12.4%", "×300", "±0.0%", "−50.0%"].map(figures.isMore)).toEqual([true, true, false, false]);
  });

  it("keep amounts of any size inside their places", () => {
    const dollars = (usd: number): number => usd * 500_000;
    expect([1284.6, 9_999_999.99, 449_077_072.75, -12_000_000].map((usd) => figures.tileAmount(dollars(usd)))).toEqual([
      "$1,284.60",
      "$9,999,999.99",
      "$449.1M",
      "−$12.0M",
    ]);
    expect([99_999_999, 1_925_927_243].map(figures.tileCount)).toEqual(["99,999,999", "1.9B"]);
    expect([2414.08, 449_077_072, 0.007126].map((usd) => figures.roundedText(dollars(usd), "spend"))).toEqual([
      "$2,414",
      "$449.1M",
      "$0.0071",
    ]);
    expect(figures.amountsOf([dollars(8.614), dollars(4.12)])).toEqual(["$8.61", "$4.12"]);
    expect(figures.amountsOf([dollars(449_077_053), dollars(8.61), 12, 0])).toEqual([
      "$449.1M",
      "$8.61",
      "<$0.0001",
      "$0.00",
    ]);
    const axis = { step: dollars(10_000_000), top: dollars(40_000_000) };
    expect([0, 10_000_000, 40_000_000].map((usd) => figures.tickText(dollars(usd), axis, "spend"))).toEqual([
      "$0",
      "$10M",
      "$40M",
    ]);
  });

  it("say how long a balance lasts at a pace", () => {
    expect(figures.daysLeft(1400, 300, 3 * 86_400)).toBe(14);
    expect(figures.daysLeft(1400, 0, 86_400)).toBeUndefined();
    expect(figures.daysLeft(-5, 10, 86_400)).toBe(0);
  });
});
