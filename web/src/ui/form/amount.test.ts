/** Tests of typed amounts as quota, with and without a sign, and of quota as typed text. */
import { expect, test } from "vitest";
import type { QuotaDisplay } from "../../../../contract/src/quota-display.ts";
import { amountQuota, amountText, quotaViewOf, signedQuota, unitsNote } from "./amount.ts";

const viewOf = (currency: QuotaDisplay["currency"]) => quotaViewOf({ currency, quotaPerUnit: "500000" });
const dollars = viewOf({ sign: "$", perUsd: "1" });
const yuan = viewOf({ sign: "¥", perUsd: "7.3" });
const units = viewOf(undefined);

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
  expect(amountQuota(amountText(quota, yuan), yuan)).toBe(quota);
  expect(amountQuota(amountText(quota, units), units)).toBe(quota);
});

test("beside a field stand the units it is, marked where they were rounded", () => {
  expect(["7.3", "-1", "¥0.5", ""].map((text) => unitsNote(text, yuan))).toEqual(["500,000", "", "≈ 34,247", ""]);
  expect(unitsNote("12", units)).toBe("");
});
