/** Quota and dollars: exact conversion both ways, and short display. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  assertQuota,
  formatShort,
  isRatioText,
  parseDecimal,
  quotaToUsd,
  roundHalfAway,
  toDecimalText,
  toFixedText,
  toSafeNumber,
  usdToQuota,
} from "./money.ts";

const UNIT = "500000";

describe("decimal text", () => {
  test.each(["", " 1", "1 ", "abc", "0x10", "1.", ".5", "1e99", "Infinity", "NaN", "1,5", "1".repeat(65)])(
    "refuses %j",
    (text) => {
      expect(() => parseDecimal(text)).toThrow(RangeError);
      expect(isRatioText(text)).toBe(false);
    },
  );

  test("reads exponents and signs", () => {
    expect(toDecimalText(parseDecimal("2e-7"))).toBe("0.0000002");
    expect(toDecimalText(parseDecimal("-1.50E2"))).toBe("-150");
    expect(isRatioText("-1")).toBe(false);
    expect(isRatioText("0")).toBe(true);
  });

  test("a number's own text survives the way through a fraction", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
        fc.integer({ min: 0, max: 12 }),
        (digits, places) => {
          const text = toFixedText({ numerator: digits, denominator: 10n ** BigInt(places) }, places);
          expect(toFixedText(parseDecimal(text), places)).toBe(text);
        },
      ),
    );
  });
});

describe("rounding", () => {
  test.each([
    [5n, 2n, 3n],
    [-5n, 2n, -3n],
    [7n, 3n, 2n],
    [1n, 2n, 1n],
    [-1n, 2n, -1n],
    [49n, 100n, 0n],
  ])("%d / %d is %d: a half goes away from zero", (numerator, denominator, rounded) => {
    expect(roundHalfAway({ numerator, denominator })).toBe(rounded);
  });

  test("numbers outside the exact range are refused", () => {
    expect(() => toSafeNumber(2n ** 53n)).toThrow(RangeError);
    expect(() => assertQuota(1.5)).toThrow(RangeError);
    expect(() => assertQuota(Number.NaN)).toThrow(RangeError);
  });
});

describe("quota and dollars", () => {
  test("500000 quota are one dollar, both ways", () => {
    expect(usdToQuota("1", UNIT)).toBe(500_000);
    expect(usdToQuota("0.000001", UNIT)).toBe(1);
    expect(toDecimalText(quotaToUsd(1, UNIT))).toBe("0.000002");
  });

  test("any whole quota survives the way over dollars", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (quota) => {
        expect(usdToQuota(toDecimalText(quotaToUsd(quota, UNIT)), UNIT)).toBe(quota);
      }),
    );
  });

  test("counts are shortened from 1e4, 1e6 and 1e9", () => {
    expect([9_999, 10_000, 999_999, 1_000_000, 2_500_000_000, -10_000].map(formatShort)).toEqual([
      "9999",
      "10.0k",
      "1000.0k",
      "1.0M",
      "2.5B",
      "-10.0k",
    ]);
  });
});
