/** Quota in the unit a site shows: what is written, what is read, and that every amount is read back as the quota it was. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatQuota, parseQuota, type QuotaDisplay, quotaDisplay, typedQuota } from "./quota-display.ts";

const SETTINGS = {
  type: "USD",
  quotaPerUnit: "500000",
  usdExchangeRate: "7.3",
  customSign: "C$",
  customRate: "1.37",
} as const;
const USD = quotaDisplay(SETTINGS);
const CNY = quotaDisplay({ ...SETTINGS, type: "CNY" });
const CUSTOM = quotaDisplay({ ...SETTINGS, type: "CUSTOM" });
const TOKENS = quotaDisplay({ ...SETTINGS, type: "TOKENS" });

test("the same quota in each unit, with the decimals it needs or those asked for", () => {
  const shown = (quota: number, digits?: number) =>
    [USD, CNY, CUSTOM, TOKENS].map((display) => formatQuota(quota, display, digits));
  expect(shown(500_000)).toEqual(["$1.00", "¥7.30", "C$1.37", "500.0k"]);
  expect(shown(1_200)).toEqual(["$0.0024", "¥0.0175", "C$0.0033", "1,200"]);
  expect(shown(1)).toEqual(["$0.000002", "¥0.000015", "C$0.000003", "1"]);
  expect(shown(-617_283_945)).toEqual(["−$1,234.57", "−¥9,012.35", "−C$1,691.36", "-617.3M"]);
  expect(shown(1_200, 2)).toEqual(["$0.00", "¥0.02", "C$0.00", "1,200"]);
  expect([formatQuota(0, CNY), formatQuota(0.02, CNY), formatQuota(0.5, TOKENS)]).toEqual([
    "¥0.00",
    "<¥0.000001",
    "0.5",
  ]);
});

test("halves are rounded away from zero by the exact amount, not by its floating point neighbour", () => {
  // 1.005 dollars is below 1.005 as a double.
  expect(formatQuota(502_500, USD, 2)).toBe("$1.01");
  expect(formatQuota(Number.MAX_SAFE_INTEGER, USD, 6)).toBe("$18,014,398,509.481982");
});

describe("amounts typed", () => {
  test.each<[QuotaDisplay, string, number | undefined, boolean?]>([
    [USD, "5", 2_500_000],
    [USD, " $1,000.50 ", 500_250_000],
    [CNY, "¥7.3", 500_000],
    [CNY, "0.5", 34_247, true],
    [CNY, "1，000", 68_493_151, true],
    [CUSTOM, "C$ 1.37", 500_000],
    [TOKENS, "1,500", 1_500],
    [TOKENS, "1.5", undefined],
    [TOKENS, String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
    [USD, "99999999999999", undefined],
    [USD, "9".repeat(60), undefined],
    ...["", ".", "-1", "1e3", "0x1", "NaN", "Infinity", "1.2.3", "€5"].map(
      (text): [QuotaDisplay, string, undefined] => [CNY, text, undefined],
    ),
  ])("%o reads %j as %s", (display, text, quota, isRounded = false) => {
    expect(parseQuota(text, display)).toEqual(quota === undefined ? undefined : { quota, isRounded });
  });

  test("are written so that every quota is read back as itself, whatever the rate and the unit", () => {
    const settings = fc.record({
      type: fc.constantFrom("USD", "CNY", "TOKENS", "CUSTOM"),
      quotaPerUnit: fc.integer({ min: 1, max: 1_000_000_000 }).map(String),
      usdExchangeRate: fc.integer({ min: 1, max: 10_000_000 }).map((rate) => (rate / 10_000).toFixed(4)),
      customSign: fc.constantFrom("€", "kr", "R$"),
      customRate: fc.integer({ min: 1, max: 1_000_000 }).map(String),
    });
    fc.assert(
      fc.property(settings, fc.nat({ max: 1_000_000_000_000 }), (each, quota) => {
        const display = quotaDisplay(each);
        expect(parseQuota(typedQuota(quota, display), display)?.quota).toBe(quota);
      }),
      { numRuns: 500 },
    );
  });
});
