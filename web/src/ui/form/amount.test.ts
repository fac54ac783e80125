/** What typed amounts mean in quota, with and without a sign, and how quota is typed. */
import { expect, test } from "vitest";
import { amountQuota, amountText, signedQuota } from "./amount.ts";

const dollars = { isCurrency: true, quotaPerUnit: 500_000 };
const units = { isCurrency: false, quotaPerUnit: 500_000 };

test.each([
  ["5", 2_500_000],
  ["+5", 2_500_000],
  [" -2.50 ", -1_250_000],
  ["−1", -500_000],
  ["-$1,000", -500_000_000],
  ["0", 0],
  ["-0", 0],
  ["", undefined],
  ["+", undefined],
  ["--1", undefined],
  ["1e3", undefined],
  ["99999999999999", undefined],
])("%j adds %s", (text, quota) => {
  expect(signedQuota(text, dollars)).toBe(quota);
});

test("units are typed unchanged, whole ones only", () => {
  expect(signedQuota("-12", units)).toBe(-12);
  expect(signedQuota("0.5", units)).toBeUndefined();
  expect(signedQuota(String(Number.MAX_SAFE_INTEGER), units)).toBe(Number.MAX_SAFE_INTEGER);
});

test.each([0, 1, 500_000, 1_234_567, 500_000_000])("%s is read as it is written", (quota) => {
  expect(amountQuota(amountText(quota, dollars), dollars)).toBe(quota);
  expect(amountQuota(amountText(quota, units), units)).toBe(quota);
});
